import type { Unit } from '../anchor.ts'
import { languageOf } from './languages.ts'
import { LARGEST_MEMORY } from './limits.ts'
import { outline } from './outline.ts'
import { Parsers } from './parsers.ts'

/** The parsers of this thread. After an error their memory is in an unknown state, so the thread has to end. */
const PARSERS = new Parsers()

/** The units of a text; undefined if there are too many of them. */
export async function parseUnits(path: string, text: string): Promise<readonly Unit[] | undefined> {
  const language = languageOf(path, text)
  if (language === undefined) return []
  return outline(await PARSERS.get(language.grammar), language, text)
}

/** Whether the parsers have used up their memory: the reason that one of them has just failed. */
export function isOutOfMemory(): boolean {
  return PARSERS.memoryBytes > LARGEST_MEMORY / 2
}
