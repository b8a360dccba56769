// Round numbers inside a range.
export function linearTicks(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

// 1, 2 and 5 of every decade; only 1 where that would be too many.
export function logTicks(low, high, most) {
  for (const multiples of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1)
      for (const m of multiples) {
        const tick = Number((m * 10 ** power).toPrecision(6));
        if (tick >= low && tick <= high) ticks.push(tick);
      }
    if (ticks.length <= most || multiples.length === 1) return ticks;
  }
  return [];
}
