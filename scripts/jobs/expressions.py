"""Expressions of GitHub's workflows: the operators and functions that the project's files use.

What is unknown is an error here; GitHub makes it an empty text, so that a misspelt input goes unseen.
"""
import re

from machine import Broken

TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(\d+)|([A-Za-z_][\w-]*)|(==|!=|&&|\|\||[().!]))")


class Expression:
    def __init__(self, text, contexts, state):
        self.tokens, at = [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if not match:
                raise Broken(f"'{text}' is not an expression this runner knows")
            self.tokens.append(match.group().strip())
            at = match.end()
        self.text, self.contexts, self.state = text, contexts, state

    def value(self):
        found = self.either()
        if self.tokens:
            raise Broken(f"'{self.text}': what is '{self.tokens[0]}'?")
        return found

    def take(self, *wanted):
        if self.tokens and self.tokens[0] in wanted:
            return self.tokens.pop(0)
        return None

    def either(self):
        left = self.both()
        while self.take("||"):
            right = self.both()
            left = left or right
        return left

    def both(self):
        left = self.equal()
        while self.take("&&"):
            right = self.equal()
            left = left and right
        return left

    def equal(self):
        left = self.single()
        while sign := self.take("==", "!="):
            right = self.single()
            left = (str(left).lower() == str(right).lower()) == (sign == "==")
        return left

    def single(self):
        if self.take("!"):
            return not self.single()
        if self.take("("):
            found = self.either()
            self.tokens.pop(0)
            return found
        token = self.tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if token.isdigit():
            return int(token)
        if self.take("("):
            self.tokens.pop(0)
            functions = {"always": True, "success": self.state == "success", "failure": self.state == "failure"}
            if token not in functions:
                raise Broken(f"'{self.text}': unknown function '{token}'")
            return functions[token]
        if token in ("true", "false"):
            return token == "true"
        return self.member(token)

    def member(self, name):
        if name not in self.contexts:
            raise Broken(f"'{self.text}': there is no context '{name}' here")
        value, path = self.contexts[name], name
        while self.take("."):
            key = self.tokens.pop(0)
            path += "." + key
            if value == "":
                continue
            if key not in value:
                # Optional values of an event or a step are empty; other unknown names are errors.
                if name in ("github", "steps", "vars", "env"):
                    value = ""
                    continue
                raise Broken(f"'{self.text}': there is no '{path}'")
            value = value[key]
        return value


def filled(text, contexts, state="success"):
    """Returns the text with its expressions replaced by their values."""
    def value(match):
        found = Expression(match.group(1), contexts, state).value()
        return "" if found is None else str(found).lower() if isinstance(found, bool) else str(found)
    return re.sub(r"\$\{\{(.*?)\}\}", value, str(text), flags=re.S)


def holds(condition, contexts, state):
    """Whether a step or job with this 'if' runs; after a failure, only if it tests the status."""
    if condition is None:
        return state == "success"
    text = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", str(condition).strip())
    asks = re.search(r"\b(always|failure|cancelled)\(", text)
    found = Expression(text, contexts, state).value()
    return bool(found) and (state == "success" or bool(asks))
