"""The place where steps of CI jobs run: a separate root, or a folder of this machine."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    # This package contains the services' schemas and depends on the other two.
    import check_jsonschema
    import jsonschema
    import ruamel.yaml
except ImportError:
    sys.exit("python3 has no package check-jsonschema: python3 -m pip install check-jsonschema")


class Broken(Exception):
    """A violated rule of the CI service, or an unexpected outcome."""


class Machine:
    """A container that maps the paths of its scripts to paths outside of it."""

    def __init__(self, root=None):
        self.root = root
        self.base = root or tempfile.mkdtemp(prefix="jobs.")

    def inside(self, path):
        return path if self.root else self.base + path

    def outside(self, path):
        return pathlib.Path(path if path.startswith(self.base) else self.base + path)

    def run(self, script, folder, environment, shell):
        """Runs a script in a shell; returns its status and its output."""
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


def documents(text):
    """Returns a text's YAML 1.2 documents, in which 'on' is a string and not true."""
    return list(ruamel.yaml.YAML(typ="safe", pure=True).load_all(text))


def check_schema(value, name):
    """Checks a file against the published schema in check-jsonschema."""
    folder = pathlib.Path(check_jsonschema.__file__).parent / "builtin_schemas/vendor"
    schema = json.loads((folder / f"{name}.json").read_text())
    kind = jsonschema.validators.validator_for(schema)
    error = jsonschema.exceptions.best_match(kind(schema).iter_errors(value))
    if error:
        raise Broken(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
