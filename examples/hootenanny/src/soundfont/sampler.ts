import type { Orchestra, Player } from '../audio/stage.ts'
import { DRUM_CHANNEL } from '../music/piece.ts'
import { choosePreset, DRUM_BANK } from './choose-preset.ts'
import { soundingRegions } from './region.ts'
import type { Preset, SoundFont } from './soundfont.ts'
import { addVoice } from './voice.ts'

/** What it takes to look at a region or a preset, beside what it takes to compute a sample. */
const SAMPLES_PER_LOOK = 8
/** What it takes to set a voice going, however short it is: three microseconds. */
const SAMPLES_PER_VOICE = 100

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
  let preset: Preset | undefined
  return function* play(stage, cue) {
    // Looking for what a key sets going is work too, even if that is nothing.
    if (preset === undefined) yield font.presets.length * SAMPLES_PER_LOOK
    preset ??= choosePreset(font, wanted)
    yield preset.regions * SAMPLES_PER_LOOK
    for (const region of soundingRegions(font, preset, cue))
      yield SAMPLES_PER_VOICE + addVoice(stage, cue, { region, frames: font.frames })
  }
}
