"""Runs GitHub workflows and composite actions as container jobs, by the rules of GitHub's runner.

Stubbed: the actions of GitHub below, the event, the container's image, permissions, and the log.
"""
import itertools
import re
import shutil

from expressions import filled, holds
from machine import Broken, check_schema, documents

HOST = "/home/runner/work"  # the path in contexts; it does not exist inside the container
WORKSPACE, TEMP = "/__w/app/app", "/__w/_temp"
MOST_ANNOTATIONS = 10  # per kind and step; https://github.com/actions/toolkit/pull/734
MOST_OF_JOB = 50
INPUTS = {
    "actions/checkout": {"fetch-depth", "ref"},
    "actions/cache/restore": {"path", "key", "restore-keys"},
    "actions/cache/save": {"path", "key"},
    "actions/upload-artifact": {"name", "path"},
    "actions/download-artifact": {"name", "path", "pattern"},
}


class Server:
    """The state that outlives a job: the repository, its variables, and the caches."""

    def __init__(self, machine, repository, actions, variables, environment):
        self.machine, self.repository, self.actions = machine, repository, actions
        self.variables, self.environment = variables, environment
        self.caches = {}
        self.folder = machine.outside("/server")

    def run(self, workflow, report):
        """Runs a workflow; returns each job's conclusion and its output."""
        check_schema(workflow, "github-workflows")
        return Workflow(self, workflow, report).run()

    def action(self, path):
        action = documents((self.actions / path / "action.yml").read_text())[0]
        check_schema(action, "github-actions")
        if action["runs"]["using"] != "composite":
            raise Broken(f"'{path}' is no composite action")
        return action


class Workflow:
    def __init__(self, server, workflow, report):
        self.server, self.workflow, self.report = server, workflow, report
        self.artifacts, self.results = {}, {}
        shutil.rmtree(server.folder / "artifacts", ignore_errors=True)

    def run(self):
        for name, job in self.workflow["jobs"].items():
            needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            state = "success" if all(self.results[need][0] == "success" for need in needs) else "failure"
            matrix = (job.get("strategy") or {}).get("matrix") or {}
            ends = []
            for values in itertools.product(*matrix.values()):
                one = Job(self, name, job, dict(zip(matrix, values)))
                if holds(job.get("if"), one.contexts(), state):
                    ends.append(one.run())
            failed = [end for end in ends if end[0] != "success"]
            self.results[name] = (failed or ends or [("skipped", "")])[0]
        return self.results


class Job:
    def __init__(self, workflow, name, job, matrix):
        self.workflow, self.server, self.machine = workflow, workflow.server, workflow.server.machine
        self.name, self.job, self.matrix = name, job, matrix
        self.state, self.output, self.annotations = "success", "", 0
        self.path, self.exported = [], {}

    def contexts(self, **more):
        github = {"sha": "0" * 40, "workspace": f"{HOST}/app/app", "run_attempt": "1", "ref": "refs/pull/1/merge",
                  "event": {"pull_request": {"head": {"sha": "1" * 40}}}}
        return {"github": {**github, **more.pop("github", {})}, "vars": self.server.variables, "env": self.exported,
                "matrix": self.matrix, "runner": {"temp": f"{HOST}/_temp", "os": "Linux"}, **more}

    def run(self):
        for folder in (WORKSPACE, TEMP, "/github/home"):
            shutil.rmtree(self.machine.outside(folder), ignore_errors=True)
            self.machine.outside(folder).mkdir(parents=True)
        container = self.job.get("container")
        if not filled(container if isinstance(container, str) else (container or {}).get("image", ""), self.contexts()):
            raise Broken(f"job '{self.name}' has no container: this runner knows only those with one")
        self.steps(self.job["steps"], {}, None)
        if self.annotations > MOST_OF_JOB:
            raise Broken(f"job '{self.name}' has {self.annotations} annotations: GitHub shows {MOST_OF_JOB}")
        return self.state, self.output

    def steps(self, steps, more, action):
        """Runs steps of the job or of an action, each if its condition holds."""
        outputs = {}
        for step in steps:
            contexts = self.contexts(**more, steps=outputs)
            label = step.get("name") or step.get("uses") or step["run"].split("\n")[0]
            if not holds(step.get("if"), contexts, self.state):
                self.workflow.report(f"{self.name}: {label}", "skipped", "")
                continue
            try:
                made, printed = (self.use if "uses" in step else self.script)(step, contexts, action)
                end = "success"
            except StepFailed as failure:
                made, printed, end = {}, failure.output, f"failed with {failure.status}"
                self.state = "failure"
            self.output += printed
            outputs[step.get("id", object())] = {"outputs": made}
            self.workflow.report(f"{self.name}: {label}", end, printed)

    # Scripts

    def script(self, step, contexts, action):
        shell = step.get("shell") or ((self.workflow.workflow.get("defaults") or {}).get("run") or {}).get("shell")
        if action and "shell" not in step:
            raise Broken(f"the action's step '{step.get('name')}' has no shell, which a composite action needs")
        shells = {"bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"], None: ["sh", "-e"], "sh": ["sh", "-e"]}
        script = filled(step["run"], contexts, self.state)
        if HOST in script:
            raise Broken(f"a path of the host, which a container lacks: {script}")
        environment = {name: filled(value, contexts, self.state) for name, value in (step.get("env") or {}).items()}
        files = {}
        for name in ("OUTPUT", "PATH", "ENV", "STEP_SUMMARY"):
            files[name] = self.machine.outside(f"{TEMP}/file-{name}")
            files[name].write_text("")
            environment["GITHUB_" + name] = self.machine.inside(f"{TEMP}/file-{name}")
        if action:
            environment["GITHUB_ACTION_PATH"] = self.machine.inside(action)
        search = self.path + ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
        status, output = self.machine.run(script, WORKSPACE, {
            "HOME": self.machine.inside("/github/home"), "GITHUB_ACTIONS": "true", "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_WORKSPACE": self.machine.inside(WORKSPACE), "RUNNER_TEMP": self.machine.inside(TEMP),
            "GITHUB_BASE_REF": "main", "PATH": ":".join(search), **self.server.environment, **self.exported,
            **environment,
        }, shells[shell])
        self.count(step, output)
        if files["STEP_SUMMARY"].stat().st_size > 1 << 20:
            raise Broken(f"the summary of '{step.get('name')}' has more than a MiB, which GitHub refuses")
        self.path = [line for line in files["PATH"].read_text().split("\n") if line][::-1] + self.path
        self.exported.update(pairs(files["ENV"].read_text()))
        if status != 0:
            raise StepFailed(status, output)
        return pairs(files["OUTPUT"].read_text()), output

    def count(self, step, output):
        kinds = re.findall(r"^::(error|warning|notice)[ :]", output, re.M)
        for kind in set(kinds):
            if kinds.count(kind) > MOST_ANNOTATIONS:
                raise Broken(f"'{step.get('name')}' has {kinds.count(kind)} annotations '{kind}': GitHub drops all but ten")
        self.annotations += len(kinds)

    # Actions

    def use(self, step, contexts, action):
        name, _, version = step["uses"].partition("@")
        given = {key: filled(value, contexts, self.state) for key, value in (step.get("with") or {}).items()}
        if name.endswith("/storebench/ci/github"):
            return self.composite("ci/github", f"/__w/_actions/{name.removesuffix('/ci/github')}/{version}", given)
        if name not in INPUTS or not version:
            raise Broken(f"'{step['uses']}' is no action that this runner knows")
        if unknown := set(given) - INPUTS[name]:
            raise Broken(f"'{name}' has no input {', '.join(sorted(unknown))}")
        return getattr(self, name.split("/", 1)[1].replace("-", "_").replace("/", "_"))(given) or {}, ""

    def composite(self, path, folder, given):
        action = self.server.action(path)
        declared = action.get("inputs") or {}
        if unknown := set(given) - set(declared):
            raise Broken(f"the action has no input {', '.join(sorted(unknown))}")
        values = {name: str(given.get(name, facts.get("default", ""))) for name, facts in declared.items()}
        source = self.machine.outside(folder)
        if not source.exists():
            shutil.copytree(self.server.actions, source)
        more = {"inputs": values, "github": {"action_path": f"{HOST}/{folder.removeprefix('/__w/')}/{path}"}}
        self.steps(action["runs"]["steps"], more, f"{folder}/{path}")
        return {}, ""

    def place(self, path):
        """Returns the location of an input's path, in the container or below the workspace."""
        if path.startswith(HOST):
            raise Broken(f"'{path}' is a path of the host, which a container lacks")
        path = path.removeprefix(self.machine.base) if not self.machine.root else path
        return self.machine.outside(path if path.startswith("/") else f"{WORKSPACE}/{path}")

    def checkout(self, given):
        folder = self.machine.outside(WORKSPACE)
        shutil.rmtree(folder)
        shutil.copytree(self.server.repository, folder, symlinks=True)

    def cache_key(self, given):
        for part in given["path"].split("/"):
            if part in (".", ".."):
                raise Broken(f"Invalid pattern '{given['path']}'. Relative pathing '.' and '..' is not allowed.")
        key = given["key"]
        if not key or len(key) > 512 or "," in key:
            raise Broken(f"'{key}' cannot be the key of a cache: up to 512 characters without a comma")
        return key, given["path"]

    def cache_restore(self, given):
        key = self.cache_key(given)
        if key not in self.server.caches:
            return {"cache-hit": ""}
        shutil.copytree(self.server.caches[key], self.place(given["path"]), symlinks=True, dirs_exist_ok=True)
        return {"cache-hit": "true"}

    def cache_save(self, given):
        key = self.cache_key(given)
        if key not in self.server.caches and self.place(given["path"]).exists():
            kept = self.server.folder / f"cache-{len(self.server.caches)}"
            shutil.copytree(self.place(given["path"]), kept, symlinks=True)
            self.server.caches[key] = kept

    def upload_artifact(self, given):
        name = given.get("name", "artifact")
        if found := re.search(r'["<>:|*?\r\n\\/]', name):
            raise Broken(f"The artifact name is not valid: {name}. Contains '{found.group()}'")
        if name in self.workflow.artifacts:
            raise Broken(f"an artifact with the name '{name}' already exists on the workflow run (409)")
        folder = self.server.folder / "artifacts" / name
        if "*" in given["path"]:
            found = sorted(self.machine.outside(WORKSPACE).glob(given["path"]))
        else:
            found = [self.place(given["path"])] if self.place(given["path"]).exists() else []
        if not found:
            return  # GitHub warns: 'No files were found with the provided path'.
        folder.mkdir(parents=True)
        for path in found:
            # For a single folder, its contents are uploaded.
            if path.is_dir():
                shutil.copytree(path, folder if len(found) == 1 else folder / path.name, dirs_exist_ok=True)
            else:
                shutil.copy(path, folder)
        self.workflow.artifacts[name] = folder

    def download_artifact(self, given):
        target = self.place(given.get("path", "."))
        if "name" in given:
            if given["name"] not in self.workflow.artifacts:
                raise Broken(f"Artifact not found for name: {given['name']}")
            shutil.copytree(self.workflow.artifacts[given["name"]], target, dirs_exist_ok=True)
            return
        pattern = re.escape(given.get("pattern", "*")).replace(r"\*", ".*")
        for name, folder in self.workflow.artifacts.items():
            if re.fullmatch(pattern, name):
                shutil.copytree(folder, target / name, dirs_exist_ok=True)


class StepFailed(Exception):
    def __init__(self, status, output):
        super().__init__(status)
        self.status, self.output = status, output


def pairs(text):
    """Returns the `name=value` lines of a file that a step writes."""
    found = {}
    for line in text.split("\n"):
        if line and "=" not in line:
            raise Broken(f"Invalid format '{line}' in a file of the runner")
        if line:
            name, _, value = line.partition("=")
            found[name] = value
    return found
