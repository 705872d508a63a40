import * as z from 'zod'
import { countLines, sliceLines } from '../outline/lines.ts'
import { defineOperation } from '../../core/operation.ts'
import { findRegions } from './find-regions.ts'
import { openAnnotatedCode } from '../write/open-code.ts'
import { rank } from './read.ts'
import { regionView, toRegionView } from './region-view.ts'
import { anchor, isInScope, lines, path, resolveScope } from './scope.ts'

const MOST_LINES = 5_000

export const showCode = defineOperation({
  name: 'code.show',
  summary: 'Show a file with its annotations in the margin',
  effect: 'read',
  input: z.object({ path, anchor, lines }),
  output: z.object({
    $schema: z.literal('waymark-view/v1'),
    file: z.string(),
    notes: z.array(z.string()).optional().describe('How the question was understood'),
    first_line: z.int(),
    lines: z.array(z.string()),
    regions: z.array(regionView),
  }),
  positional: ['path', 'anchor'],
  async run(context, input) {
    const code = await openAnnotatedCode(context, input.path)
    const scope = await resolveScope(code, input)
    const { view, ranges, notices } = scope
    const { text } = view.file
    const count = countLines(text)
    const first = Math.min(...(ranges?.map(({ start }) => start) ?? [1]))
    const last = Math.min(
      count,
      first + MOST_LINES - 1,
      Math.max(...(ranges?.map(({ end }) => end) ?? [count])),
    )
    const found = (await findRegions(context, code, view)).filter((each) => isInScope(scope, each))
    const regions = await Promise.all(rank(found).map((each) => toRegionView(code, view, each)))
    return {
      $schema: 'waymark-view/v1' as const,
      file: view.path,
      ...(notices.length > 0 && { notes: [...notices] }),
      first_line: first,
      lines: last < first ? [] : sliceLines(text, { start: first, end: last }).split('\n'),
      regions,
    }
  },
})
