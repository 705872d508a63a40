import { violation } from './parse.ts'

/** As deep as a message of the protocol may nest. */
const DEEPEST = 64

/** Refuses an input whose arrays and objects nest too deep: what walks it later would overflow the stack. */
export function refuseDeep(input: unknown): void {
  let level = [input].filter(isObject)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST)
      throw violation('input', 'bad_format', `nests deeper than ${DEEPEST} levels`)
    level = [...new Set(level.flatMap((value) => Object.values(value).filter(isObject)))]
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
