import { describe, expect, it } from 'vitest'
import { MachineClock } from '../src/machine-clock.ts'

const DAY = 24 * 3_600_000
const NOW = Date.parse('2026-11-15T12:00:00Z')

/** A process on a machine whose time is right. */
function createProcess({ canMakeFiles = true } = {}) {
  const state = { passed: 0, off: 0, machineOff: 0, files: 0 }
  const machine = () => NOW + state.passed + state.machineOff
  const clock = new MachineClock({
    wall: () => machine() + state.off,
    monotonic: () => state.passed,
    fileTime: () => {
      state.files += 1
      return canMakeFiles ? machine() - 3 : undefined
    },
    boot: () => 1,
    uptime: () => state.passed,
  })
  return { state, clock, machine }
}

describe('the clock of the machine', () => {
  it.each([2 * DAY, -2 * DAY, 365_250 * DAY, -365_250 * DAY, 6000])(
    'is told by a process whose own clock is %s ms ahead, which knows that',
    (off) => {
      const { state, clock, machine } = createProcess()
      state.off = off
      expect(Math.abs(clock.now() - machine())).toBeLessThan(10)
      expect(Math.abs(clock.error - off)).toBeLessThan(10)
    },
  )

  it('is told by a process whose clock is set while it runs, and set right again', () => {
    const { state, clock, machine } = createProcess()
    expect(clock.now()).toBe(machine())
    state.off = 2 * DAY
    state.passed += 5
    expect(Math.abs(clock.now() - machine())).toBeLessThan(10)
    state.off = 0
    expect(clock.now()).toBe(machine())
    expect(clock.error).toBe(0)
  })

  it('is followed when it is set itself', () => {
    const { state, clock, machine } = createProcess()
    clock.now()
    state.machineOff = 2 * DAY
    expect(clock.now()).toBe(machine())
    expect(clock.error).toBe(0)
  })

  it('is compared once a minute, not with each call', () => {
    const { state, clock } = createProcess()
    for (let call = 0; call < 1000; call += 1) clock.now()
    expect(state.files).toBe(1)
    state.passed += 61_000
    clock.now()
    expect(state.files).toBe(2)
  })

  it('is taken to be that of the process where no file can be made', () => {
    const { state, clock } = createProcess({ canMakeFiles: false })
    state.off = DAY
    expect(clock.now()).toBe(NOW + DAY)
  })

  it('agrees with this process here', () => {
    const clock = new MachineClock()
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000)
    expect(clock.uptime().ms).toBeGreaterThan(0)
    expect(clock.error).toBe(0)
  })
})
