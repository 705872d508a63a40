// Loaded before a program: its wall clock is off by CLOCK_OFF_MS, while the machine's is right.
const right = Date.now
const off = Number(process.env['CLOCK_OFF_MS'] ?? 0)
Date.now = () => right() + off
