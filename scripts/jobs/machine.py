"""Where the steps of CI jobs run: a root of its own, or a folder of this machine."""
import os
import pathlib
import subprocess
import tempfile

import yaml


class Broken(Exception):
    """A rule of the CI service that a job breaks, or an outcome that was not expected."""


class Machine:
    """A container: paths as its scripts see them, and where these are outside."""

    def __init__(self, root=None):
        self.root = root
        self.base = root or tempfile.mkdtemp(prefix="jobs.")

    def inside(self, path):
        return path if self.root else self.base + path

    def outside(self, path):
        return pathlib.Path(path if path.startswith(self.base) else self.base + path)

    def run(self, script, folder, environment, shell):
        """Runs a script by a shell, and returns its status and all that it printed."""
        file = self.outside("/tmp/step.sh")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(script)
        given = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "CI": "true",
                 "TMPDIR": self.inside("/tmp"), **environment}
        command = ["env", "-i", "-C", self.inside(folder)]
        command += [f"{name}={value}" for name, value in given.items()]
        command += shell + [self.inside("/tmp/step.sh")]
        if self.root:
            command = ["chroot", self.root] + command
        ending = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace")
        return ending.returncode, ending.stdout


class Loader(yaml.SafeLoader):
    """YAML as the services read it: 'on' is a name, and 'yes' a text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", __import__("re").compile("^(?:true|false)$"), list("tf"))


def documents(text):
    return list(yaml.load_all(text, Loader))


def check_schema(value, name):
    """Checks every key against the published schema of the file's kind, as check-jsonschema has it."""
    try:
        import check_jsonschema
        import jsonschema
    except ImportError:
        raise Broken("python3 has no package check-jsonschema: python3 -m pip install check-jsonschema") from None
    folder = pathlib.Path(check_jsonschema.__file__).parent / "builtin_schemas/vendor"
    schema = __import__("json").loads((folder / f"{name}.json").read_text())
    kind = jsonschema.validators.validator_for(schema)
    error = jsonschema.exceptions.best_match(kind(schema).iter_errors(value))
    if error:
        raise Broken(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
