"""The operations of lanes.py as LLVM's instructions on vectors of eight."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic

WIDTH = 8

# Sums over neighbours, then over fours, then over all: each lane adds one and the same sum of lanes to its
# left, so the sums never fall from one lane to the next, whatever is rounded.
PREFIX_STEPS = [[8, 0, 8, 2, 8, 4, 8, 6], [8, 8, 1, 1, 8, 8, 5, 5], [8, 8, 8, 8, 3, 3, 3, 3]]
ONE_ON = [8, 0, 1, 2, 3, 4, 5, 6]

_FLOAT, _INT, _LONG, _BYTE, _BIT = ir.FloatType(), *(ir.IntType(n_bits) for n_bits in (32, 64, 8, 1))
_FLOATS, _INTS = ir.VectorType(_FLOAT, WIDTH), ir.VectorType(_INT, WIDTH)
_NO_FLOATS, _NO_INTS = ir.Constant(_FLOATS, [0.0] * WIDTH), ir.Constant(_INTS, [0] * WIDTH)


class _LanesType(types.Type):
    def __init__(self, element: Any) -> None:
        super().__init__(name=f"lanes of {element}")
        self.vector = ir.VectorType(element, WIDTH)


class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: _LanesType) -> None:
        super().__init__(manager, lanes, lanes.vector)


register_default(_LanesType)(_LanesModel)
_floats, _counts, _truths = (_LanesType(element) for element in (_FLOAT, _INT, _BIT))


def _operator(symbol: Callable[[Any, Any], Any], lanes: _LanesType, instruction: str) -> None:
    """Let ``a + b`` and its like work on lanes."""

    @infer_global(symbol)
    class Signature(ConcreteTemplate):
        cases = (signature(lanes, lanes, lanes),)

    @lower_builtin(symbol, lanes, lanes)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


for _symbol, _instruction in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul"), ("truediv", "fdiv")):
    _operator(getattr(operator, _symbol), _floats, _instruction)
for _symbol, _instruction in (("add", "add"), ("sub", "sub")):
    _operator(getattr(operator, _symbol), _counts, _instruction)


def _operation(result: Any, *arguments: Any) -> Callable[[Callable[..., Any]], Any]:
    """Let kernels call a function that gets a builder and LLVM's values, and gives the value of ``result``.

    ``arguments`` are types, or None where any type will do. Of an array, the function gets a pointer.
    """

    def make(build: Callable[..., Any]) -> Any:
        def typed(typing: Any, *given: Any) -> Any:
            wanted = (each or found for each, found in zip(arguments, given, strict=True))
            return signature(result, *wanted), lower

        def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            values = (
                context.make_array(kind)(context, builder, value).data
                if isinstance(kind, types.Array)
                else value
                for kind, value in zip(sig.args, args, strict=True)
            )
            built = build(builder, *values)
            return context.get_dummy_value() if result is types.void else built

        typed.__name__ = build.__name__
        typed.__signature__ = inspect.signature(build)  # type: ignore[attr-defined]  # Numba reads it
        return intrinsic(typed)

    return make


def _vector_at(builder: Any, array: Any, index: Any) -> tuple[Any, Any, int]:
    """Return a pointer to eight elements, their type, and the bytes of one element."""
    pointer = builder.gep(array, [index])
    element = pointer.type.pointee
    vector = ir.VectorType(element, WIDTH)
    n_bytes = 4 if element == _FLOAT else element.width // 8
    return builder.bitcast(pointer, vector.as_pointer()), vector, n_bytes


def _loaded(builder: Any, array: Any, index: Any) -> Any:
    pointer, _, n_bytes = _vector_at(builder, array, index)
    loaded = builder.load(pointer)
    loaded.align = n_bytes
    return builder.zext(loaded, _INTS) if n_bytes < 4 else loaded


def _spread(builder: Any, value: Any, vector: Any) -> Any:
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(_INT, 0))
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), _NO_INTS)


def _spread_count(builder: Any, value: Any) -> Any:
    return _spread(builder, builder.trunc(value, _INT), _INTS)


def _shuffled(builder: Any, lanes: Any, others: Any, places: list[int]) -> Any:
    """Lane i of the result is lane ``places[i]`` of ``lanes`` followed by ``others``."""
    return builder.shuffle_vector(lanes, others, ir.Constant(_INTS, places))


# Operations that are one instruction, or one function above.
every = _operation(_floats, types.float32)(lambda builder, value: _spread(builder, value, _FLOATS))
every_count = _operation(_counts, types.intp)(_spread_count)
floats = _operation(_floats, _counts)(lambda builder, counts: builder.sitofp(counts, _FLOATS))
only = _operation(_counts, _truths, types.intp)(
    lambda builder, where, value: builder.select(where, _spread_count(builder, value), _NO_INTS)
)
equal = _operation(_truths, _counts, types.intp)(
    lambda builder, counts, value: builder.icmp_signed("==", counts, _spread_count(builder, value))
)
chosen = _operation(_floats, _truths, _floats, _floats)(
    lambda builder, where, lanes, others: builder.select(where, lanes, others)
)
replaced = _operation(_floats, _floats, _truths, types.float32)(
    lambda builder, lanes, where, value: builder.select(where, _spread(builder, value, _FLOATS), lanes)
)
at_most = _operation(_truths, _floats, _floats)(
    lambda builder, lanes, bounds: builder.fcmp_ordered("<=", lanes, bounds)
)
both = _operation(_truths, _truths, _truths)(lambda builder, where, also: builder.and_(where, also))
but_not = _operation(_truths, _truths, _truths)(
    lambda builder, where, unless: builder.and_(where, builder.not_(unless))
)
unlike = _operation(_truths, _truths, _truths)(lambda builder, where, others: builder.xor(where, others))
lowest_bit = _operation(types.intp, types.intp)(
    lambda builder, bits: builder.cttz(bits, ir.Constant(_BIT, 0))
)
last = _operation(_floats, _floats)(
    lambda builder, lanes: _shuffled(builder, lanes, _NO_FLOATS, [WIDTH - 1] * WIDTH)
)
first = _operation(types.float32, _floats)(
    lambda builder, lanes: builder.extract_element(lanes, ir.Constant(_INT, 0))
)
before = _operation(_floats, _floats)(lambda builder, lanes: _shuffled(builder, lanes, _NO_FLOATS, ONE_ON))
lane_of = _operation(types.float32, _floats, types.intp)(
    lambda builder, lanes, number: builder.extract_element(lanes, builder.trunc(number, _INT))
)


@_operation(_floats, None, types.intp)
def load(builder: Any, array: Any, index: Any) -> Any:
    loaded = _loaded(builder, array, index)
    return loaded if loaded.type == _FLOATS else builder.sitofp(loaded, _FLOATS)


load_counts = _operation(_counts, None, types.intp)(_loaded)


@_operation(types.void, None, types.intp, None)
def store(builder: Any, array: Any, index: Any, lanes: Any) -> None:
    pointer, vector, n_bytes = _vector_at(builder, array, index)
    stored = builder.store(builder.trunc(lanes, vector) if n_bytes < 4 else lanes, pointer)
    stored.align = n_bytes


@_operation(_truths, types.intp)
def lane(builder: Any, number: Any) -> Any:
    numbers = ir.Constant(_INTS, list(range(WIDTH)))
    return builder.icmp_signed("==", _spread_count(builder, number), numbers)


@_operation(types.intp, _truths)
def number_of(builder: Any, where: Any) -> Any:
    bits = builder.zext(builder.bitcast(where, _BYTE), _LONG)
    return builder.cttz(bits, ir.Constant(_BIT, 0))


@_operation(types.intp, _truths, _truths)
def bits_of(builder: Any, where: Any, others: Any) -> Any:
    places = ir.Constant(ir.VectorType(_INT, 2 * WIDTH), list(range(2 * WIDTH)))
    both = builder.shuffle_vector(where, others, places)
    return builder.zext(builder.bitcast(both, ir.IntType(2 * WIDTH)), _LONG)


@_operation(types.boolean, types.boolean)
def seldom(builder: Any, condition: Any) -> Any:
    kind = ir.FunctionType(_BIT, [_BIT, _BIT])
    expect = cgutils.get_or_insert_function(builder.module, kind, "llvm.expect.i1")
    return builder.call(expect, [condition, ir.Constant(_BIT, 0)])


@_operation(types.boolean, _counts, _counts)
def differ(builder: Any, counts: Any, others: Any) -> Any:
    bits = builder.bitcast(builder.icmp_signed("!=", counts, others), _BYTE)
    return builder.icmp_unsigned("!=", bits, ir.Constant(_BYTE, 0))


@_operation(_floats, _floats)
def prefix_sum(builder: Any, lanes: Any) -> Any:
    for places in PREFIX_STEPS:
        lanes = builder.fadd(lanes, _shuffled(builder, lanes, _NO_FLOATS, places))
    return lanes


@_operation(_truths, _floats, _floats)
def first_above(builder: Any, lanes: Any, bounds: Any) -> Any:
    above = builder.sext(builder.fcmp_ordered(">", lanes, bounds), _INTS)
    return builder.icmp_signed("!=", above, _shuffled(builder, above, _NO_INTS, ONE_ON))


@_operation(_floats, None, types.intp, _counts)
def gather(builder: Any, array: Any, start: Any, places: Any) -> Any:
    begin, gathered = builder.gep(array, [start]), ir.Constant(_FLOATS, ir.Undefined)
    for number in (ir.Constant(_INT, number) for number in range(WIDTH)):
        place = builder.zext(builder.extract_element(places, number), _LONG)
        gathered = builder.insert_element(gathered, builder.load(builder.gep(begin, [place])), number)
    return gathered


@_operation(types.void, None, types.intp)
def prefetch(builder: Any, array: Any, index: Any) -> None:
    pointer = builder.bitcast(builder.gep(array, [index]), cgutils.voidptr_t)
    kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, _INT, _INT, _INT])
    call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    to_write, keep, data = (ir.Constant(_INT, value) for value in (1, 3, 1))
    builder.call(call, [pointer, to_write, keep, data])
