"""Runs GitLab jobs and components, by the rules of GitLab's runner with a shell in a container.

Stubbed: the container's image, 'rules' and 'retry' (every job runs once), and includes of other projects.
"""
import glob
import re
import shutil
import xml.etree.ElementTree

from machine import Broken, check_schema, documents

PROJECT = "/builds/app"


class Server:
    def __init__(self, machine, repository, component, environment):
        self.machine, self.repository, self.component = machine, repository, component
        self.environment, self.caches = environment, {}
        self.folder = machine.outside("/server-gitlab")

    def run(self, text, report):
        """Runs the jobs of a .gitlab-ci.yml; returns each job's status and output."""
        whole = {}
        for document in documents(text):
            whole.update(document)
        for include in whole.pop("include", []):
            if set(include) - {"project", "file", "ref", "inputs"} or include["file"] != "ci/gitlab/storebench.yml":
                raise Broken(f"this runner does not know the include {include}")
            whole.update(self.included(include.get("inputs") or {}))
        check_schema(whole, "gitlab-ci")
        default = whole.pop("default", {})
        stages = whole.pop("stages", ["test"])
        whole.pop("variables", None)
        jobs = {name: self.extended(whole, name) for name in whole if not name.startswith(".")}
        results, kept = {}, {}
        for stage in stages:
            for name, job in jobs.items():
                if job.get("stage", stages[0] if len(stages) > 1 else "test") == stage:
                    results[name] = self.job(name, {**default, **job}, kept, report)
        return results

    def included(self, given):
        """Returns the component's jobs with its inputs inserted."""
        spec, jobs = self.component.split("\n---\n", 1)
        spec = documents(spec)[0]
        if set(spec) != {"spec"} or set(spec["spec"]) != {"inputs"}:
            raise Broken("the component's header has other keys than 'spec: inputs:'")
        values = {}
        for name, facts in spec["spec"]["inputs"].items():
            if unknown := set(facts or {}) - {"default", "description", "options", "regex", "type"}:
                raise Broken(f"input '{name}' has the unknown key {', '.join(unknown)}")
            if name not in given and "default" not in (facts or {}):
                raise Broken(f"`{name}` input: required value has not been provided")
            values[name] = given.get(name, (facts or {}).get("default"))
            if not isinstance(values[name], str):
                raise Broken(f"`{name}` input: provided value is not a string: {values[name]}")
        if unknown := set(given) - set(values):
            raise Broken(f"unknown input arguments: {', '.join(unknown)}")

        def value(match):
            if match.group(1) not in values:
                raise Broken(f"unknown interpolation key: `{match.group(1)}`")
            return values[match.group(1)]
        return documents(re.sub(r"\$\[\[ inputs\.(\w+) \]\]", value, jobs))[0]

    def extended(self, whole, name):
        job = dict(whole[name])
        if base := job.pop("extends", None):
            job = {**self.extended(whole, base), **job}
        return job

    def job(self, name, job, kept, report):
        if not job.get("image"):
            raise Broken(f"job '{name}' has no image")
        count = job.get("parallel", 1)
        ends = []
        for index in range(1, count + 1):
            label = f"{name} {index}/{count}" if count > 1 else name
            ends.append(self.once(label, job, kept, {"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(count)}))
            report(label, "success" if ends[-1][0] == 0 else f"failed with {ends[-1][0]}", ends[-1][1])
        return next((end for end in ends if end[0] != 0), ends[0])

    def once(self, name, job, kept, node):
        folder = self.machine.outside(PROJECT)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.repository, folder, symlinks=True)
        for source in kept.values():
            shutil.copytree(source, folder, dirs_exist_ok=True)
        variables = {
            "CI_PROJECT_DIR": self.machine.inside(PROJECT), "CI_RUNNER_EXECUTABLE_ARCH": "linux/amd64",
            "CI_JOB_ID": "4711", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "HOME": self.machine.inside("/root"),
            "GITLAB_CI": "true", **node, **self.environment,
        }
        for variable, value in (job.get("variables") or {}).items():
            variables[variable] = re.sub(r"\$(\w+)", lambda match: variables.get(match.group(1), ""), str(value))
        cache = job.get("cache")
        if cache:
            self.restore(cache, variables, folder)
        self.machine.outside("/root").mkdir(exist_ok=True)
        script = "\n".join((job.get("before_script") or []) + job["script"])
        status, output = self.machine.run(script, PROJECT, variables, ["bash", "-eo", "pipefail"])
        if cache and (status == 0 or cache.get("when") == "always"):
            self.save(cache, variables, folder)
        artifacts = job.get("artifacts") or {}
        if artifacts and (status == 0 or artifacts.get("when") == "always"):
            self.keep(name, artifacts, folder, kept, status)
        return status, output

    def cached(self, cache, variables):
        key = re.sub(r"\$(\w+)", lambda match: variables.get(match.group(1), ""), cache["key"])
        # GitLab escapes the values of variables, but rejects keys that contain '/' or consist of dots.
        if "/" in cache["key"] or re.fullmatch(r"\.*", cache["key"]):
            raise Broken(f"cache key '{cache['key']}' cannot contain '/'")
        for path in cache["paths"]:
            if path.startswith("/") or ".." in path.split("/"):
                raise Broken(f"cache path '{path}' is not below the project")
        return key.replace("/", "-")

    def restore(self, cache, variables, folder):
        source = self.caches.get(self.cached(cache, variables))
        if source:
            shutil.copytree(source, folder, symlinks=True, dirs_exist_ok=True)

    def save(self, cache, variables, folder):
        key = self.cached(cache, variables)
        target = self.folder / f"cache-{key}"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        copied(cache["paths"], folder, target)
        self.caches[key] = target

    def keep(self, name, artifacts, folder, kept, status):
        target = self.folder / "artifacts" / name.replace("/", "-").replace(" ", "-")
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        if not copied(artifacts.get("paths", []), folder, target) and status == 0:
            raise Broken(f"'{name}' leaves none of its artifacts: {artifacts.get('paths')}")
        for kind, path in (artifacts.get("reports") or {}).items():
            file = folder / path
            if not file.exists():
                if status == 0:
                    raise Broken(f"'{name}' has no report '{path}'")
            elif kind == "junit":
                xml.etree.ElementTree.parse(file)
        kept[name] = target


def copied(paths, folder, target):
    """Copies the files that match paths and patterns in a folder; returns their number."""
    found = [path for pattern in paths for path in glob.glob(pattern, root_dir=folder, include_hidden=True)]
    for path in found:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        if (folder / path).is_dir():
            shutil.copytree(folder / path, target / path, symlinks=True, dirs_exist_ok=True)
        else:
            shutil.copy(folder / path, target / path)
    return len(found)
