import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { findDependents } from './dependents.ts'
import { openAnnotatedCode } from '../write/open-code.ts'
import { filled } from '../region/region-view.ts'
import { showDependents } from './show.ts'
import { dependentsView } from './view.ts'
import { anchor, path, resolveScope } from '../region/scope.ts'

export const codeDependents = defineOperation({
  name: 'code.deps',
  summary: 'Find code that depends on the behaviour of a file or symbol',
  example: 'src/client.ts Client.connect',
  effect: 'read',
  input: z.object({
    path,
    anchor,
    max_results: z.int().min(1).max(500).default(50).describe('How many at most'),
  }),
  output: dependentsView,
  positional: ['path', 'anchor'],
  async run(context, input) {
    const code = await openAnnotatedCode(context, input.path)
    const scope = await resolveScope(code, input)
    const { dependents, commitsScanned, found } = await findDependents(code, scope)
    return {
      $schema: 'ultragit-deps/v1' as const,
      query: { file: scope.view.path, ...filled('anchor', input.anchor) },
      ...filled('notes', [...scope.notices]),
      dependents: dependents.slice(0, input.max_results),
      stats: {
        commits_scanned: commitsScanned,
        dependencies_found: found,
        scan_method: 'reverse_index' as const,
      },
    }
  },
  show: showDependents,
})
