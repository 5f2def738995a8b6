"""Writes src/base/pow5.inc: the leading 128 bits of 5^q, q = -342 .. 308, as number.c needs them.

Positive powers are cut off; a negative power is the reciprocal, rounded up (Lemire, Number Parsing
at a Gigabyte per Second, section 5). The least significant word is second.

    python3 tools/pow5.py > src/base/pow5.inc
"""


def leading_bits(q):
    if q >= 0:
        power = 5**q
        length = power.bit_length()
        return power << 128 - length if length <= 128 else power >> length - 128
    power = 5**-q
    bits = (power - 1).bit_length()
    c = 2 ** (bits + 127 if q >= -27 else 2 * bits + 128) // power + 1
    return c >> c.bit_length() - 128


print("/* The leading 128 bits of 5^q, q = -342 .. 308; made by tools/pow5.py. */")
cells = [f"{{0x{v >> 64:016x}u, 0x{v & 2**64 - 1:016x}u}}," for v in map(leading_bits, range(-342, 309))]
for i in range(0, len(cells), 2):
    print(" ".join(cells[i : i + 2]))
