import { languageOf } from './languages.ts'
import { outline } from './outline.ts'
import type { Outliner } from './outlines.ts'
import { Parsers } from './parsers.ts'

/** Loaded programs never change, so all repositories of a process share them. */
const PARSERS = new Parsers()

/** Everything that needs the parser, so that it is loaded together and only when there is something to parse. */
export function createOutliner(): Outliner {
  return async (path, text) => {
    const language = languageOf(path, text)
    if (language === undefined) return { units: [], layout: 'indented', supported: false }
    const parser = await PARSERS.get(language.grammar)
    return { units: outline(parser, language, text), layout: language.layout, supported: true }
  }
}
