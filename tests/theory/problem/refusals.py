"""Tables of wrong inputs: each is refused by an error that has a hint and names what is wrong."""

from theory.problem import InputError


def not_refused(call, cases):
    """The cases, inputs followed by words of the error, that are accepted or refused without the words or a hint."""
    wrong = []
    for *inputs, words in cases:
        try:
            call(*inputs)
        except InputError as error:
            if not error.hint or words not in str(error):
                wrong.append((words, str(error)))
        else:
            wrong.append((words, "accepted"))
    return wrong
