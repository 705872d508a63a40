import * as z from 'zod'
import type { Context, ReadContext } from '../../core/context.ts'
import { findSection, hashText, parseSectionReference } from './prd.ts'
import type { Prd } from '../fields.ts'
import { Failure } from '../../core/error.ts'
import { toFileFailure, withField } from '../../support/files/file-failure.ts'
import { filesOf } from '../../support/files/project-files.ts'
import { type Warning, warning } from '../../core/warning.ts'

export interface PrdInput {
  readonly source: string
  readonly refs: readonly string[]
  readonly excerpt?: string | undefined
}

/** Reads and hashes the document that a new task refers to, for later drift checks. */
export async function readPrd(
  context: Context,
  input: PrdInput | undefined,
): Promise<{ readonly prd?: Prd; readonly warnings: Warning[] }> {
  if (input === undefined) return { warnings: [] }
  const { source, refs, excerpt } = input
  const references = refs.map(parseSectionReference)
  const text = await withField('prd_source', async () => filesOf(context)?.readText(source))
  const warnings: Warning[] =
    text === undefined ? [warning('missing_prd_source', `${source} is not in the project`)] : []
  const withHashes = references.map(({ anchor, lines }) => {
    const section = text === undefined ? undefined : findSection(text, { anchor, lines })
    if (text !== undefined && section === undefined) {
      warnings.push(warning('missing_section', `${source} has no section ${anchor}`))
    }
    return {
      anchor,
      ...(lines !== undefined && { lines: [...lines] as [number, number] }),
      ...(section !== undefined && { hash: hashText(section) }),
    }
  })
  const prd = {
    source,
    refs: withHashes,
    ...(excerpt !== undefined && { excerpt }),
    ...(text !== undefined && { hash: hashText(text) }),
  }
  return { prd, warnings }
}

/**
 * Fills in missing hashes of an imported task's PRD reference from the present document. If the document no longer has
 * its recorded hash, section hashes stay missing: its present sections say nothing about the recorded version.
 */
export function withHashes(given: Prd, text: string | undefined): Prd {
  if (text === undefined) return given
  const hash = hashText(text)
  if (given.hash !== undefined && given.hash !== hash) return given
  const refs = given.refs.map((ref) => {
    const section = ref.hash === undefined ? findSection(text, ref) : undefined
    return section === undefined ? ref : { ...ref, hash: hashText(section) }
  })
  return { ...given, hash, refs }
}

/** The document's text, or why it cannot be read: an imported task may name any path. */
export async function readSource(
  context: ReadContext,
  path: string,
): Promise<{ readonly text?: string; readonly problem?: string }> {
  try {
    const text = await filesOf(context)?.readText(path)
    return text === undefined ? { problem: `${path} is not in the project` } : { text }
  } catch (error) {
    const failure = error instanceof Failure ? error : toFileFailure(error)
    if (failure === undefined) throw error
    return { problem: `${path} cannot be read: ${failure.message}` }
  }
}

export const prdDrift = z.object({
  changed: z.boolean().describe('What the task refers to reads differently now'),
  details: z.array(z.string()),
})

export interface PrdContext {
  readonly sections: { anchor: string; content: string }[]
  readonly warnings: Warning[]
  readonly drift?: z.output<typeof prdDrift>
}

/** The present text of the referenced sections, and whether they have drifted since the task was created. */
export async function readPrdContext(
  context: ReadContext,
  prd: Prd | undefined,
): Promise<PrdContext> {
  if (prd === undefined) return { sections: [], warnings: [] }
  const { text, problem = '' } = await readSource(context, prd.source)
  if (text === undefined) {
    return { sections: [], warnings: [warning('missing_prd_source', problem)] }
  }
  const sections: PrdContext['sections'] = []
  const details: string[] = []
  for (const ref of prd.refs) {
    const content = findSection(text, ref)
    if (content === undefined) details.push(`section ${ref.anchor} is gone`)
    else {
      sections.push({ anchor: ref.anchor, content })
      if (ref.hash !== undefined && hashText(content) !== ref.hash) {
        details.push(`section ${ref.anchor} has changed`)
      }
    }
  }
  // Without sections to compare, the whole document is what the task refers to.
  const isWhole = !prd.refs.some(({ hash }) => hash !== undefined)
  if (isWhole && prd.hash !== undefined && hashText(text) !== prd.hash) {
    details.push(`${prd.source} has changed`)
  }
  const changed = details.length > 0
  const warnings = changed ? [warning('prd_drift', details.join('; '))] : []
  return { sections, warnings, drift: { changed, details } }
}
