import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { advance, type Anchor, CLOCK_TOLERANCE_MS } from '../../src/core/clock/clock.ts'
import { SEED } from '../seed.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365.25 * DAY
const NOW = Date.parse('2026-11-15T12:00:00Z')

/** A machine, its clocks, and the store that is written to on it. */
class Machine {
  /** True time, which passes while the machine is off too. */
  true = NOW
  /** By how much its wall clock is wrong. */
  error = 0
  #boot = 1
  #started = NOW - HOUR
  #clock = 0
  #anchor: Anchor | undefined
  /** The time of the store without the steps of its clock: what durations are measured by. */
  lasted = 0

  write(processError = 0): number {
    const wall = this.true + this.error + processError
    const uptime = { boot: this.#boot, ms: this.true - this.#started }
    const { now, skipped, anchor } = advance(
      { clock: this.#clock, anchor: this.#anchor },
      { wall, uptime },
    )
    this.lasted += this.#clock === 0 ? 0 : now - this.#clock - skipped
    this.#clock = now
    this.#anchor = anchor ?? this.#anchor
    return now
  }

  restart(offFor: number): void {
    this.true += offFor
    this.#boot += 1
    this.#started = this.true
  }
}

const step = fc.constantFrom(
  -1000 * YEAR,
  -YEAR,
  -2 * DAY,
  -HOUR,
  -10 * MINUTE,
  10 * MINUTE,
  HOUR,
  2 * DAY,
  YEAR,
  1000 * YEAR,
)

describe('the time of a store', () => {
  it('is the wall clock where that is never set, through sleep and restarts of any length', () => {
    const machine = new Machine()
    for (const away of [0, 5, MINUTE, DAY, 9 * YEAR]) {
      machine.true += away
      expect(machine.write()).toBe(machine.true)
      machine.restart(away)
      expect(machine.write()).toBe(machine.true)
    }
  })

  it('is monotonic, lets no lease end early and never freezes, however clocks are set', () => {
    const event = fc.oneof(
      { weight: 4, arbitrary: fc.record({ elapse: fc.integer({ min: 0, max: 2 * HOUR }) }) },
      { weight: 1, arbitrary: fc.record({ set: step }) },
      { weight: 2, arbitrary: fc.record({ wrongProcess: step }) },
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const machine = new Machine()
        let before = machine.write()
        for (const each of events) {
          const { lasted, true: start } = machine
          if ('elapse' in each) machine.true += each.elapse
          if ('set' in each) machine.error += each.set
          const now = machine.write('wrongProcess' in each ? each.wrongProcess : 0)
          expect(now).toBeGreaterThanOrEqual(before)
          expect(machine.lasted - lasted).toBeLessThanOrEqual(
            machine.true - start + CLOCK_TOLERANCE_MS,
          )
          expect(machine.lasted - lasted).toBeGreaterThanOrEqual(0)
          before = now
        }
        const { lasted } = machine
        machine.write()
        machine.true += 5 * MINUTE
        machine.write()
        expect(machine.lasted - lasted).toBeGreaterThanOrEqual(5 * MINUTE - CLOCK_TOLERANCE_MS)
      }),
      { seed: SEED, numRuns: 300 },
    )
  })

  it.each([
    ['2 days', 2 * DAY],
    ['a year', YEAR],
  ])(
    'follows a wall clock that is set ahead by %s, and tells that no time has passed',
    (_, ahead) => {
      const machine = new Machine()
      machine.write()
      machine.error = ahead
      machine.true += MINUTE
      expect(machine.write()).toBe(machine.true + ahead)
      expect(machine.lasted).toBe(MINUTE)
    },
  )

  it.each(['running', 'off'])(
    'does not follow a step of 1000 years while the machine was %s',
    (how) => {
      const machine = new Machine()
      const start = machine.write()
      machine.error = 1000 * YEAR
      if (how === 'off') machine.restart(HOUR)
      expect(machine.write()).toBe(start)
      machine.true += MINUTE
      expect(machine.write()).toBe(start + MINUTE)
      machine.error = 0
      expect(machine.write()).toBe(machine.true)
    },
  )

  it('does not go back with a wall clock that is set back a little, nor after a restart', () => {
    const machine = new Machine()
    machine.write()
    machine.true += MINUTE
    machine.error = CLOCK_TOLERANCE_MS / 2
    const latest = machine.write()
    expect(latest).toBe(machine.true + CLOCK_TOLERANCE_MS / 2)
    machine.error = 0
    expect(machine.write()).toBe(latest)
    machine.restart(0)
    machine.error = -MINUTE
    expect(machine.write()).toBe(latest)
  })

  it('goes on at the pace of the uptime behind a time that was too late', () => {
    const machine = new Machine()
    machine.error = 2 * DAY
    machine.write()
    machine.error = 0
    const late = machine.write()
    for (let turn = 0; turn < 5; turn += 1) {
      // Several processes that are behind by different amounts do not push it forward together.
      machine.write(-HOUR * turn)
      machine.write()
    }
    expect(machine.write()).toBe(late)
    machine.true += 15 * MINUTE
    expect(machine.write()).toBe(late + 15 * MINUTE)
  })
})
