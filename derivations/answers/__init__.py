"""The answers of the verbs as data: one file for each verb, used by the commands, the explorer and Python alike.

Each file has `answer(...)`, which takes plain arguments and returns a frozen dataclass with `json()`, the content of
`gdln VERB --json`, and `text()`, what the command prints for a reader. Errors are those of `theory.problem`.
"""
