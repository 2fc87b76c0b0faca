"""Units of measure: as they are written, and as they are said of one and of several."""

_SAID_OF_ONE = """
°C: degree Celsius, °F: degree Fahrenheit, °: degree, %: percent, ppm: part per million, rpm: turn per minute
km/h: kilometer per hour, mph: mile per hour, m/s: meter per second
MWh: megawatt hour, kWh: kilowatt hour, Wh: watt hour, kW: kilowatt, W: watt
kV: kilovolt, V: volt, mAh: milliampere hour, Ah: ampere hour, mA: milliampere
lx: lux, lm: lumen, dB: decibel, kcal: kilocalorie
hPa: hectopascal, kPa: kilopascal, mbar: millibar, psi: pound per square inch
Gbit/s: gigabit per second, Mbit/s: megabit per second, MB/s: megabyte per second
Gbps: gigabit per second, Mbps: megabit per second, kbps: kilobit per second
GHz: gigahertz, MHz: megahertz, kHz: kilohertz, Hz: hertz
TB: terabyte, GB: gigabyte, MB: megabyte, kB: kilobyte, KB: kilobyte
kg: kilogram, mg: milligram, g: gram, lbs: pound, lb: pound, oz: ounce, ¢: cent
km: kilometer, m: meter, cm: centimeter, mm: millimeter, mi: mile, ft: foot
µg/m³: microgram per cubic meter, m³: cubic meter, m²: square meter, sq ft: square foot
ml: milliliter, l: liter, L: liter
h: hour, min: minute, s: second, ms: millisecond
"""
_UNCHANGED = ("percent", "lux", "hertz")


def of_several(name: str) -> str:
    """The plural of a unit: "kilometers per hour", "degrees Celsius", "watt hours", "square feet"."""
    head, per, rest = name.partition(" per ")
    if head.endswith(_UNCHANGED):
        return name
    if head.startswith("degree"):
        return name.replace("degree", "degrees", 1)
    plural = f"{head.removesuffix('foot')}feet" if head.endswith("foot") else f"{head}s"
    return f"{plural}{per}{rest}"


# written -> (said of one, said of several)
UNITS: dict[str, tuple[str, str]] = {
    written: (name, of_several(name))
    for line in _SAID_OF_ONE.split("\n")
    for written, _, name in (entry.strip().partition(": ") for entry in line.split(", "))
    if name
}
