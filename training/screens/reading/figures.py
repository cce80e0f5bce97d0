"""Prices, dates, units and other figures as pages write them, in English and in Chinese."""

from __future__ import annotations

from random import Random

SIZES = ("S", "M", "L", "XL", "42", "38 mm", "1.5 L", "500 g", "20x30 cm", '6.7"', "128 GB", "2 TB")


class Figures:
    """Draws figures. All chance comes from ``rng``."""

    def __init__(self, rng: Random, language: str) -> None:
        self.rng = rng
        self.chinese = language == "zh"

    def count(self) -> str:
        return str(
            self.rng.choice((self.rng.randrange(2, 10), self.rng.randrange(10, 100), self.rng.randrange(10, 999)))
        )

    def year(self) -> str:
        return str(self.rng.randrange(1931, 2027))

    def model(self) -> str:
        letters = "".join(self.rng.choice("ABCDEGHKLMNPRSTVXZ") for _ in range(self.rng.randrange(1, 3)))
        return f"{letters}{self.rng.choice(('', '-'))}{self.rng.randrange(2, 9900)}"

    def size(self) -> str:
        return self.rng.choice(SIZES)

    def amount(self) -> str:
        whole = self.rng.choice(
            (self.rng.randrange(1, 100), self.rng.randrange(100, 1000), self.rng.randrange(1000, 99999))
        )
        grouped = f"{whole:,}" if self.rng.random() < 0.6 else str(whole)
        return grouped + self.rng.choice(("", f".{self.rng.randrange(100):02d}", ".99", ".00"))

    def price(self) -> str:
        signs = ("¥", "¥", "¥", "￥") if self.chinese else ("$", "$", "€", "£", "US$", "A$")
        forms = ("{sign}{amount}",) * 6 + (
            ("{amount}元",) * 3 if self.chinese else ("{amount} €", "{amount} kr", "CHF {amount}")
        )
        return self.rng.choice(forms).format(sign=self.rng.choice(signs), amount=self.amount())

    def level(self) -> str:
        """Return how dear a place is."""
        sign = "¥" if self.chinese else self.rng.choice("$$€£")
        return sign * self.rng.randrange(1, 5)

    def stars(self) -> str:
        full = self.rng.randrange(2, 6)
        return self.rng.choice(
            (
                "★" * full + "☆" * (5 - full),
                f"{self.rng.uniform(2, 5):.1f} ★",
                f"★ {self.rng.uniform(2, 5):.1f}",
                "★" * full,
            )
        )

    def rating(self) -> str:
        return f"{self.rng.uniform(2, 5):.1f}"

    def votes(self) -> str:
        number = self.rng.choice(
            (str(self.rng.randrange(3, 999)), f"{self.rng.randrange(1000, 99999):,}", f"{self.rng.uniform(1, 9):.1f}K")
        )
        return f"({number})" if not self.chinese else self.rng.choice((f"({number})", f"{number}条评价"))

    def percent(self) -> str:
        value = self.rng.choice((str(self.rng.randrange(1, 100)), f"{self.rng.uniform(0, 100):.1f}"))
        return value + self.rng.choice(("%", "%", "%", " %"))

    def change(self) -> str:
        return f"{self.rng.choice('+-')}{self.rng.uniform(0, 12):.2f}%"

    def clock(self) -> str:
        hour, minute = self.rng.randrange(24), f"{self.rng.randrange(60):02d}"
        if self.chinese:
            return self.rng.choice(
                (
                    f"{hour}:{minute}",
                    f"{hour:02d}:{minute}",
                    f"{'上午' if hour < 12 else '下午'}{hour % 12 or 12}:{minute}",
                )
            )
        return self.rng.choice(
            (f"{hour}:{minute}", f"{hour:02d}:{minute}", f"{hour % 12 or 12}:{minute} {'AM' if hour < 12 else 'PM'}")
        )

    def date(self) -> str:
        year, month, day = self.rng.randrange(2009, 2028), self.rng.randrange(1, 13), self.rng.randrange(1, 29)
        if self.chinese:
            return self.rng.choice(
                (
                    f"{month}月{day}日",
                    f"{year}年{month}月{day}日",
                    f"{month:02d}-{day:02d}",
                    f"{year}-{month:02d}-{day:02d}",
                    f"{month}/{day}",
                )
            )
        name = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")[month - 1]
        return self.rng.choice(
            (
                f"{name} {day}",
                f"{day} {name} {year}",
                f"{name} {day}, {year}",
                f"{month}/{day}/{year % 100:02d}",
                f"{year}-{month:02d}-{day:02d}",
                f"{day}. {name}",
            )
        )

    def unit(self) -> str:
        number = self.rng.randrange(1, 120)
        forms = (
            "{n} °C",
            "{n}°",
            "{n}°C",
            "{n} km",
            "{n} km/h",
            "{d} kg",
            "{n} min",
            "{d} m",
            "{n} mm",
            "{d} GB",
            "{n} MB/s",
            "{n} hPa",
            "{n} kcal",
            "-{n} °C",
            "{n}K",
        )
        chinese = ("{n}℃", "{n}公里", "{n}分钟", "{d}千克", "{n}米", "{n}级", "{n}小时", "{n}天", "{d}万", "{n}次/分")
        form = self.rng.choice(forms + chinese * 2 if self.chinese else forms)
        return form.format(n=number, d=f"{self.rng.uniform(0.1, 99):.1f}")

    def postcode(self) -> str:
        return f"{self.rng.randrange(10000, 99999)}"

    def telephone(self) -> str:
        r = self.rng.randrange
        return (
            f"1{r(30, 99)} {r(1000, 9999)} {r(1000, 9999)}"
            if self.chinese
            else f"({r(201, 989)}) {r(200, 999)}-{r(1000, 9999)}"
        )
