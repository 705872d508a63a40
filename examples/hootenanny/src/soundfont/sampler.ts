import type { Orchestra, Player } from '../audio/stage.ts'
import { DRUM_CHANNEL } from '../music/piece.ts'
import { choosePreset, DRUM_BANK } from './choose-preset.ts'
import { soundingRegions } from './region.ts'
import type { SoundFont } from './soundfont.ts'
import { addVoice } from './voice.ts'

/** What it takes to look at a region, beside what it takes to compute a sample. */
const SAMPLES_PER_LOOK = 8

/** Plays tracks with the recordings of a SoundFont. */
export function createSampler(font: SoundFont): Orchestra {
  const playersByPreset = new Map<string, Player>()
  return ({ channel, program, bank = 0 }) => {
    const wanted = { bank: channel === DRUM_CHANNEL ? DRUM_BANK : bank, program }
    const name = `${wanted.bank}:${program}`
    const player = playersByPreset.get(name) ?? createPlayer(font, wanted)
    playersByPreset.set(name, player)
    return player
  }
}

function createPlayer(font: SoundFont, wanted: { bank: number; program: number }): Player {
  const preset = choosePreset(font, wanted)
  return function* play(stage, cue) {
    // Looking for what a key sets going is work too, even if that is nothing.
    yield preset.regions * SAMPLES_PER_LOOK
    for (const region of soundingRegions(font, preset, cue))
      yield addVoice(stage, cue, { region, frames: font.frames })
  }
}
