import type { Random } from '../../../../packages/baton/test/support/random.ts'
import { seal } from '../../../../packages/waymark/test/replica/hostile-log.ts'
import { ODD_TEXTS } from '../odd-values.ts'
import { bodyOf, keptLine, note, parsedLine, type Production } from './forge.ts'

/** Lines that are cut off, altered, or run together. */
export const DAMAGED: Readonly<Record<string, Production>> = {
  flipped: (forge) => [flipped(keptLine(forge), forge.random)],
  flipped_and_sealed: (forge) => {
    const body = flipped(JSON.stringify(parsedLine(forge, false)), forge.random)
    return [seal(body)]
  },
  cut_off: (forge) => {
    const line = keptLine(forge)
    const at = forge.random.below(line.length)
    return [line.slice(0, at), line.slice(at)]
  },
  run_together: (forge) => [note(forge) + note(forge) + note(forge).slice(0, 60) + note(forge)],
  many_beginnings: (forge) => [`{"e":"`.repeat(20_000) + bodyOf(note(forge))],
  many_ends: (forge) => [
    `{"e":"${`,"h":"${'0'.repeat(32)}"}`.repeat(2_000)}`,
    note(forge).repeat(100),
  ],
  line_ends: (forge) => [`${note(forge)}\r`, `\uFEFF${note(forge)}`, `  ${note(forge)}  `],
  no_text: ({ random }) => [
    Buffer.from(Array.from({ length: 200 }, () => random.below(256)))
      .toString('latin1')
      .replaceAll('\n', ''),
    '\0'.repeat(1_000),
    random.pick(ODD_TEXTS),
  ],
}

function flipped(text: string, random: Random): string {
  const bytes = Buffer.from(text)
  for (let n = 1 + random.below(4); n > 0; n -= 1) {
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
  }
  // A line end would make two lines of it.
  return bytes.toString('utf8').replaceAll('\n', ' ')
}
