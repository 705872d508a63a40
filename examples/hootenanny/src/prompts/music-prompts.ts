import { invalidParams } from '@waymark/baton'
import type { Server } from '@waymark/baton'
import { parseKey } from '../music/key.ts'
import type { Studio } from '../studio.ts'
import { describeDevices, describeRecent, parseNumber, toPrompt } from './live-context.ts'

const BARS = { min: 1, max: 512 }
const TEMPO = { min: 20, max: 300 }

/** Prompts about playing. */
export function addMusicPrompts(server: Server, studio: Studio): void {
  server.prompt({
    name: 'ensemble-jam',
    description: 'Start a collaborative music session',
    arguments: [
      { name: 'style', description: 'Musical style (ambient, techno, jazz)', required: true },
      { name: 'tempo', description: 'BPM', required: false },
      { name: 'duration_bars', description: 'Length in bars', required: false },
    ],
    render({ style = '', tempo = '120', duration_bars = '8' }) {
      const bpm = parseNumber('tempo', tempo, TEMPO)
      const bars = parseNumber('duration_bars', duration_bars, BARS)
      return toPrompt(
        `${capitalise(style)} jam session at ${bpm} BPM`,
        `Let's create ${withArticle(style)} piece at ${bpm} BPM, ${bars} bars long. ${describeDevices(studio)} ` +
          'Begin with one device that sets the mood, then let the others answer it. Leave room for each other.',
        'orpheus_generate makes a start, orpheus_continue goes on with it, midi_to_wav makes it audible.',
        describeRecent(studio),
      )
    },
  })

  server.prompt({
    name: 'sequence-idea',
    description: 'Spark a MIDI sequence idea',
    arguments: [
      { name: 'style', description: 'Musical style', required: true },
      { name: 'key', description: 'Key such as C or F# minor', required: false },
      { name: 'bars', description: 'Length in bars', required: false },
    ],
    render({ style = '', key = 'C', bars = '4' }) {
      if (parseKey(key) === undefined)
        throw invalidParams('key must be a key such as C or F# minor')
      const length = parseNumber('bars', bars, BARS)
      return toPrompt(
        `${capitalise(style)} sequence in ${key}, ${length} bars`,
        `Write ${withArticle(style)} sequence in ${key} that repeats after ${length} bars: its rhythm, its notes, and ` +
          `which device plays it. ${describeDevices(studio)}`,
        `orpheus_loops with key ${JSON.stringify(key)} and bars ${length} gives something to start from.`,
        describeRecent(studio),
      )
    },
  })
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}
