/** A tonic and a mode. */
export interface Key {
  /** Semitones above C. */
  readonly tonic: number
  readonly mode: 'major' | 'minor'
}

const SCALES = { major: [0, 2, 4, 5, 7, 9, 11], minor: [0, 2, 3, 5, 7, 8, 10] } as const
const NATURALS: Readonly<Record<string, number>> = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 }
const KEY = /^([A-Ga-g])([#♯b♭]?)\s*(major|minor|maj|min|m)?$/

/** The pattern of keys, for schemas. */
export const KEY_PATTERN = KEY

/** Reads a key such as `C`, `F# minor`, `Bb` or `Am`; `undefined` if it is none. */
export function parseKey(text: string): Key | undefined {
  const [, letter, accidental, mode = 'major'] = KEY.exec(text.trim()) ?? []
  if (letter === undefined) return undefined
  const natural = NATURALS[letter.toUpperCase()] ?? 0
  const shift = accidental === '' ? 0 : accidental === '#' || accidental === '♯' ? 1 : -1
  return { tonic: (natural + shift + 12) % 12, mode: mode.startsWith('maj') ? 'major' : 'minor' }
}

/** The MIDI pitch of a scale degree; degree 0 is the tonic in the octave of middle C, 7 the one above. */
export function toPitch(key: Key, degree: number): number {
  const octave = Math.floor(degree / 7)
  return 60 + key.tonic + 12 * octave + (SCALES[key.mode][degree - octave * 7] ?? 0)
}

/** The degree whose pitch is nearest. */
export function toDegree(key: Key, pitch: number): number {
  const guess = Math.round(((pitch - 60 - key.tonic) * 7) / 12)
  const distance = (degree: number): number => Math.abs(toPitch(key, degree) - pitch)
  return [guess - 1, guess, guess + 1].reduce((best, degree) =>
    distance(degree) < distance(best) ? degree : best,
  )
}

/** Whether a pitch belongs to the key. */
export function isInKey(key: Key, pitch: number): boolean {
  const scale: readonly number[] = SCALES[key.mode]
  return scale.includes((((pitch - key.tonic) % 12) + 12) % 12)
}

/** Sharps (positive) or flats (negative) of the key's signature, as MIDI files spell keys. */
export function toSignature({ tonic, mode }: Key): number {
  const major = mode === 'major' ? tonic : tonic + 3
  const fifths = (major * 7) % 12
  return fifths > 6 ? fifths - 12 : fifths
}

/** The key that a MIDI file's signature means. */
export function fromSignature(sharps: number, isMinor: boolean): Key {
  const major = (((sharps * 7) % 12) + 12) % 12
  return isMinor ? { tonic: (major + 9) % 12, mode: 'minor' } : { tonic: major, mode: 'major' }
}

/** The key that most of the time is spent in; a tonic that is heard often decides between relatives. */
export function guessKey(
  notes: Iterable<{ readonly pitch: number; readonly length: number }>,
): Key {
  const heard = Array.from({ length: 12 }, () => 0)
  for (const { pitch, length } of notes) heard[pitch % 12] = (heard[pitch % 12] ?? 0) + length
  const score = (key: Key): number =>
    heard.reduce((sum, time, pitch) => sum + (isInKey(key, pitch) ? time : 0), 0) +
    (heard[key.tonic] ?? 0) / 2 +
    (heard[(key.tonic + 7) % 12] ?? 0) / 4
  const keys = heard.flatMap((_, tonic): Key[] => [
    { tonic, mode: 'major' },
    { tonic, mode: 'minor' },
  ])
  return keys.reduce((best, key) => (score(key) > score(best) ? key : best))
}
