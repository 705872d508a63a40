import * as z from 'zod'
import { pingProject } from '../../project/facts.ts'
import { createSnapshot } from '../../snapshot/operations.ts'
import type { DialectTool } from '../dialect.ts'
import { define } from './define-tool.ts'
import { entityTools } from './entity-tools.ts'
import { graphTools } from './graph-tools.ts'
import { searchTools } from './search-tools.ts'
import { taskTools } from './task-tools.ts'

export function loadTools(): readonly DialectTool[] {
  return [
    ...entityTools(),
    ...searchTools(),
    ...graphTools(),
    ...taskTools(),
    define('sync_snapshot', 'Write everything as Markdown into a folder', createSnapshot, {
      input: createSnapshot.input,
      toInput: (args) => args,
      toResult: (output) => output,
    }),
    define('ping', 'Check that the server answers', pingProject, {
      input: z.object({}),
      toInput: () => ({}),
      toResult: ({ answer }) => answer,
    }),
  ]
}
