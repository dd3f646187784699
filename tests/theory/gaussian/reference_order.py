"""Signs at thresholds with the arguments in the order of the stored reference values: thresholds, then correlations."""

from functools import wraps


def thresholds_first(signs, m):
    """`signs` of m variables as a function of h1, ..., hm, r12, r13, ..."""

    @wraps(signs)
    def function(*arguments, **options):
        return signs(*arguments[m:], thresholds=arguments[:m], **options)

    return function
