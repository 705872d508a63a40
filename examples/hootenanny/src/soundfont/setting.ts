/** Where a setting counts: a preset may shift what its instruments say, but not which part of a sample sounds. */
type Place = 'everywhere' | 'instrument'

/** What zones can say about a sound: the number in the file, what holds if nothing is said, and what makes sense. */
interface SettingRule {
  readonly id: number
  readonly usual: number
  readonly least: number
  readonly most: number
  readonly place: Place
}

const shift = (id: number): SettingRule => rule(id, 0, [-32_768, 32_767], 'instrument')
/** Times are in twelve-hundredths of a doubling of a second. */
const time = (id: number, most: number): SettingRule => rule(id, -12_000, [-12_000, most])

/** The settings that the studio listens to, by name. */
const SETTINGS = {
  startShift: shift(0),
  endShift: shift(1),
  loopStartShift: shift(2),
  loopEndShift: shift(3),
  startShiftCoarse: shift(4),
  endShiftCoarse: shift(12),
  pan: rule(17, 0, [-500, 500]),
  delay: time(33, 5000),
  attack: time(34, 8000),
  hold: time(35, 5000),
  decay: time(36, 8000),
  sustain: rule(37, 0, [0, 1440]),
  release: time(38, 8000),
  holdByKey: rule(39, 0, [-1200, 1200]),
  decayByKey: rule(40, 0, [-1200, 1200]),
  loopStartShiftCoarse: shift(45),
  forcedKey: rule(46, -1, [-1, 127], 'instrument'),
  forcedVelocity: rule(47, -1, [-1, 127], 'instrument'),
  attenuation: rule(48, 0, [0, 1440]),
  loopEndShiftCoarse: shift(50),
  coarseTune: rule(51, 0, [-120, 120]),
  fineTune: rule(52, 0, [-99, 99]),
  loopMode: rule(54, 0, [0, 3], 'instrument'),
  scaleTuning: rule(56, 100, [0, 1200]),
  rootKey: rule(58, -1, [-1, 127], 'instrument'),
} as const satisfies Record<string, SettingRule>

export type SettingName = keyof typeof SETTINGS

/** What is said, by the number in the file. */
export type Said = ReadonlyMap<number, number>

export const SETTING_IDS: ReadonlySet<number> = new Set(Object.values(SETTINGS).map(({ id }) => id))

/** What holds where an instrument and a preset have said something; nonsense is brought back to what makes sense. */
export function settle(
  name: SettingName,
  instrument: (id: number) => number | undefined,
  preset: (id: number) => number | undefined,
): number {
  const { id, usual, least, most, place } = SETTINGS[name]
  const added = place === 'everywhere' ? (preset(id) ?? 0) : 0
  return Math.max(least, Math.min(most, (instrument(id) ?? usual) + added))
}

function rule(
  id: number,
  usual: number,
  [least, most]: readonly [number, number],
  place: Place = 'everywhere',
): SettingRule {
  return { id, usual, least, most, place }
}
