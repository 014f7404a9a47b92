"""The operations of lanes.py as LLVM's instructions on vectors of eight."""

from __future__ import annotations

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

_FLOAT, _INT, _LONG, _BYTE = ir.FloatType(), ir.IntType(32), ir.IntType(64), ir.IntType(8)
_FLOATS, _INTS = ir.VectorType(_FLOAT, WIDTH), ir.VectorType(_INT, WIDTH)
_NO_FLOATS, _NO_INTS = ir.Constant(_FLOATS, [0.0] * WIDTH), ir.Constant(_INTS, [0] * WIDTH)
_NUMBERS = ir.Constant(_INTS, list(range(WIDTH)))


class _LanesType(types.Type):
    def __init__(self, element: Any) -> None:
        super().__init__(name=f"lanes of {element}")
        self.vector = ir.VectorType(element, WIDTH)


class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: _LanesType) -> None:
        super().__init__(manager, lanes, lanes.vector)


register_default(_LanesType)(_LanesModel)
_float_lanes, _int_lanes, _truth_lanes = (_LanesType(element) for element in (_FLOAT, _INT, ir.IntType(1)))


def _operator(symbol: Callable[[Any, Any], Any], lanes: _LanesType, instruction: str) -> None:
    """Let ``a + b`` and its like work on lanes."""

    @infer_global(symbol)
    class Signature(ConcreteTemplate):
        cases = (signature(lanes, lanes, lanes),)

    @lower_builtin(symbol, lanes, lanes)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


for _symbol, _instruction in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul"), ("truediv", "fdiv")):
    _operator(getattr(operator, _symbol), _float_lanes, _instruction)
for _symbol, _instruction in (("add", "add"), ("sub", "sub")):
    _operator(getattr(operator, _symbol), _int_lanes, _instruction)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


def _loaded(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer = _address(context, builder, sig.args[0], *args)
    vector = ir.VectorType(pointer.type.pointee, WIDTH)
    loaded = builder.load(builder.bitcast(pointer, vector.as_pointer()))
    loaded.align = sig.args[0].dtype.bitwidth // 8
    return builder.zext(loaded, _INTS) if sig.args[0].dtype.bitwidth < 32 else loaded


def _spread(builder: Any, value: Any, vector: Any) -> Any:
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(_INT, 0))
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), _NO_INTS)


def _shuffled(builder: Any, lanes: Any, others: Any, places: list[int]) -> Any:
    """Lane i of the result is lane ``places[i]`` of ``lanes`` followed by ``others``."""
    return builder.shuffle_vector(lanes, others, ir.Constant(_INTS, places))


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        loaded = _loaded(context, builder, sig, args)
        return loaded if sig.args[0].dtype == types.float32 else builder.sitofp(loaded, _FLOATS)

    return _float_lanes(array, types.intp), codegen


@intrinsic
def load_counts(typing: Any, array: Any, index: Any) -> Any:
    return _int_lanes(array, types.intp), _loaded


@intrinsic
def store(typing: Any, array: Any, index: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _address(context, builder, sig.args[0], args[0], args[1])
        vector = ir.VectorType(pointer.type.pointee, WIDTH)
        narrow = sig.args[0].dtype.bitwidth < 32
        value = builder.trunc(args[2], vector) if narrow else args[2]
        stored = builder.store(value, builder.bitcast(pointer, vector.as_pointer()))
        stored.align = sig.args[0].dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), codegen


@intrinsic
def every(typing: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _spread(builder, args[0], _FLOATS)

    return _float_lanes(types.float32), codegen


@intrinsic
def floats(typing: Any, counts: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.sitofp(args[0], _FLOATS)

    return _float_lanes(_int_lanes), codegen


@intrinsic
def lane(typing: Any, number: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        wanted = _spread(builder, builder.trunc(args[0], _INT), _INTS)
        return builder.icmp_signed("==", wanted, _NUMBERS)

    return _truth_lanes(types.intp), codegen


@intrinsic
def only(typing: Any, where: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = _spread(builder, builder.trunc(args[1], _INT), _INTS)
        return builder.select(args[0], value, _NO_INTS)

    return _int_lanes(_truth_lanes, types.intp), codegen


@intrinsic
def equal(typing: Any, counts: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        wanted = _spread(builder, builder.trunc(args[1], _INT), _INTS)
        return builder.icmp_signed("==", args[0], wanted)

    return _truth_lanes(_int_lanes, types.intp), codegen


@intrinsic
def chosen(typing: Any, where: Any, lanes: Any, others: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(*args)

    return _float_lanes(_truth_lanes, _float_lanes, _float_lanes), codegen


@intrinsic
def replaced(typing: Any, lanes: Any, where: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(args[1], _spread(builder, args[2], _FLOATS), args[0])

    return _float_lanes(_float_lanes, _truth_lanes, types.float32), codegen


@intrinsic
def at_most(typing: Any, lanes: Any, bounds: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.fcmp_ordered("<=", *args)

    return _truth_lanes(_float_lanes, _float_lanes), codegen


@intrinsic
def both(typing: Any, where: Any, also: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.and_(*args)

    return _truth_lanes(_truth_lanes, _truth_lanes), codegen


@intrinsic
def but_not(typing: Any, where: Any, unless: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.not_(args[1]))

    return _truth_lanes(_truth_lanes, _truth_lanes), codegen


@intrinsic
def number_of(typing: Any, where: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = builder.zext(builder.bitcast(args[0], _BYTE), _LONG)
        return builder.cttz(bits, ir.Constant(ir.IntType(1), 0))

    return types.intp(_truth_lanes), codegen


@intrinsic
def bits_of(typing: Any, where: Any, others: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = ir.Constant(ir.VectorType(_INT, 2 * WIDTH), list(range(2 * WIDTH)))
        both = builder.shuffle_vector(*args, places)
        return builder.zext(builder.bitcast(both, ir.IntType(2 * WIDTH)), _LONG)

    return types.intp(_truth_lanes, _truth_lanes), codegen


@intrinsic
def seldom(typing: Any, condition: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bit = ir.IntType(1)
        expect = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(bit, [bit, bit]), "llvm.expect.i1"
        )
        return builder.call(expect, [args[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), codegen


@intrinsic
def lowest_bit(typing: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.intp(types.intp), codegen


@intrinsic
def differ(typing: Any, counts: Any, others: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = builder.bitcast(builder.icmp_signed("!=", *args), _BYTE)
        return builder.icmp_unsigned("!=", bits, ir.Constant(_BYTE, 0))

    return types.boolean(_int_lanes, _int_lanes), codegen


@intrinsic
def prefix_sum(typing: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        (sums,) = args
        for places in PREFIX_STEPS:
            sums = builder.fadd(sums, _shuffled(builder, sums, _NO_FLOATS, places))
        return sums

    return _float_lanes(_float_lanes), codegen


@intrinsic
def last(typing: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _shuffled(builder, args[0], _NO_FLOATS, [WIDTH - 1] * WIDTH)

    return _float_lanes(_float_lanes), codegen


@intrinsic
def first(typing: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], ir.Constant(_INT, 0))

    return types.float32(_float_lanes), codegen


@intrinsic
def before(typing: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _shuffled(builder, args[0], _NO_FLOATS, ONE_ON)

    return _float_lanes(_float_lanes), codegen


@intrinsic
def first_above(typing: Any, lanes: Any, bounds: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        above = builder.sext(builder.fcmp_ordered(">", *args), _INTS)
        before = _shuffled(builder, above, _NO_INTS, ONE_ON)
        return builder.icmp_signed("!=", above, before)

    return _truth_lanes(_float_lanes, _float_lanes), codegen


@intrinsic
def gather(typing: Any, array: Any, start: Any, places: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        begin = _address(context, builder, sig.args[0], args[0], args[1])
        gathered = ir.Constant(_FLOATS, ir.Undefined)
        for number in range(WIDTH):
            here = ir.Constant(_INT, number)
            index = builder.zext(builder.extract_element(args[2], here), _LONG)
            value = builder.load(builder.gep(begin, [index]))
            gathered = builder.insert_element(gathered, value, here)
        return gathered

    return _float_lanes(array, types.intp, _int_lanes), codegen


@intrinsic
def stride(typing: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        start = _address(context, builder, sig.args[0], *args)
        strided = ir.Constant(_FLOATS, ir.Undefined)
        for number in range(WIDTH):
            value = builder.load(builder.gep(start, [ir.Constant(_LONG, number * WIDTH)]))
            strided = builder.insert_element(strided, value, ir.Constant(_INT, number))
        return strided

    return _float_lanes(array, types.intp), codegen


@intrinsic
def lane_of(typing: Any, lanes: Any, number: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], builder.trunc(args[1], _INT))

    return types.float32(_float_lanes, types.intp), codegen


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = builder.bitcast(_address(context, builder, sig.args[0], *args), cgutils.voidptr_t)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, _INT, _INT, _INT])
        call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        to_write, keep, data = (ir.Constant(_INT, value) for value in (1, 3, 1))
        builder.call(call, [pointer, to_write, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen
