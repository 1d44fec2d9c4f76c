"""Where the steps of CI jobs run: a root of its own, or a folder of this machine."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    # With the services' schemas; it brings the other two.
    import check_jsonschema
    import jsonschema
    import ruamel.yaml
except ImportError:
    sys.exit("python3 has no package check-jsonschema: python3 -m pip install check-jsonschema")


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


def documents(text):
    """The documents of a text, by YAML 1.2 as the services read it: 'on' is a name, not true."""
    return list(ruamel.yaml.YAML(typ="safe", pure=True).load_all(text))


def check_schema(value, name):
    """Checks every key against the published schema of the file's kind, as check-jsonschema has it."""
    folder = pathlib.Path(check_jsonschema.__file__).parent / "builtin_schemas/vendor"
    schema = json.loads((folder / f"{name}.json").read_text())
    kind = jsonschema.validators.validator_for(schema)
    error = jsonschema.exceptions.best_match(kind(schema).iter_errors(value))
    if error:
        raise Broken(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
