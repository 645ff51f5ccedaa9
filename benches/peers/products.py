"""Which equations are products of matrices: of which sizes, and which of them are so where their tensors lie.

Tensors are dense and row-major. Needs no package; what it says is what `tensorwrapper-runtime/src/backend/cuda/gemm.rs` says of strides,
written a second time, so that the programs that judge do not ask the one that is judged.
"""
import math
from collections import namedtuple

# How many products there are, rows of the result, its columns, and terms of each sum.
Sizes = namedtuple("Sizes", "batch m n k")
# The same, with three strides for each tensor: from one product to the next, from row to row, from column to column.
InPlace = namedtuple("InPlace", "sizes left right result")
# Labels that are one axis: how many indices, and the strides in the result, the left and the right factor.
Axis = namedtuple("Axis", "extent strides")
RESULT, LEFT, RIGHT = range(3)


def terms(equation):
    """The labels of the operands and of the result."""
    operands, result = equation.split("->")
    return operands.split(","), result


def kinds(equation):
    """Labels of all three tensors, of the result and the left, of the result and the right, and of both factors; nothing where that is
    not all, because something is summed alone, or stands twice in a tensor."""
    operands, result = terms(equation)
    if len(operands) != 2 or any(len(set(labels)) != len(labels) for labels in [*operands, result]):
        return None
    left, right, out = (set(labels) for labels in [*operands, result])
    if (left ^ right) - out or out - left - right:
        return None
    return out & left & right, (out & left) - right, (out & right) - left, (left & right) - out


def sizes(equation, extents):
    """The sizes of the product of matrices that an equation is when its tensors are copied; nothing where it is none."""
    found = kinds(equation)
    return found and Sizes(*(math.prod(extents[label] for label in labels) for labels in found))


def matrix(rows, columns, operand):
    """Strides from row to row and from column to column, if one of them is 1 and nothing lies twice at one place."""
    def along(near, far):
        if near is not None and near.strides[operand] != 1:
            return None
        length = near.extent if near else 1
        line = far.strides[operand] if far else length
        return line if line >= length else None
    line = along(columns, rows)
    if line is not None:
        return line, 1
    line = along(rows, columns)
    return None if line is None else (1, line)


def joined(axes, first):
    """Axes of which each goes on where the next one ends, in all three tensors, are one."""
    found = []
    for axis in sorted(axes, key=lambda axis: -axis.strides[first]):
        outer = found[-1] if found else None
        if outer and all(o == i * axis.extent for o, i in zip(outer.strides, axis.strides)):
            found[-1] = Axis(outer.extent * axis.extent, axis.strides)
        else:
            found.append(axis)
    return found


def in_place(equation, extents):
    """The product of matrices that an equation is where its tensors lie; nothing where one of them would have to be copied first. Of
    several ways to see one, that with the largest matrices."""
    found = kinds(equation)
    if not found:
        return None
    operands, result = terms(equation)
    strides = []
    for labels in [result, *operands]:
        dense, step = {}, 1
        for label in reversed(labels):
            dense[label], step = step, step * extents[label]
        strides.append(dense)

    def axes(labels):
        return [Axis(extents[label], tuple(dense.get(label, 0) for dense in strides)) for label in labels if extents[label] > 1]
    shared, rows, columns, summed = (axes(labels) for labels in found)
    rows, columns, summed = joined(rows, RESULT), joined(columns, RESULT), joined(summed, LEFT)
    if len(summed) > 1:
        return None
    term = summed[0] if summed else None
    ways = []
    for row in rows or [None]:
        for column in columns or [None]:
            rest = joined(shared + [axis for axis in rows + columns if axis not in (row, column)], RESULT)
            matrices = [matrix(row, column, RESULT), matrix(row, term, LEFT), matrix(term, column, RIGHT)]
            if len(rest) > 1 or None in matrices:
                continue
            batch = rest[0] if rest else Axis(1, (0, 0, 0))
            out, left, right = ((step, *lines) for step, lines in zip(batch.strides, matrices))
            lengths = [axis.extent if axis else 1 for axis in (row, column, term)]
            ways.append(InPlace(Sizes(batch.extent, *lengths), left, right, out))
    return min(ways, key=lambda way: way.sizes.batch, default=None)


def elements(equation, extents):
    """How many elements an equation reads, and how many it writes, each once."""
    operands, result = terms(equation)
    # A diagonal is read alone.
    counts = [math.prod(extents[label] for label in set(labels)) for labels in [*operands, result]]
    return sum(counts[:-1]), counts[-1]
