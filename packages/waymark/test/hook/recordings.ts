import { readdirSync, readFileSync } from 'node:fs'
import { isHookEvent } from '../../src/hook/host/hosts.ts'
import * as z from 'zod'

const Recorded = z.strictObject({
  /** As in `waymark install`. */
  host: z.string(),
  version: z.string(),
  server: z.strictObject({
    /** Names of the variables that the host sets for a server. */
    variables: z.array(z.string()),
    /** Of each process of the server, the variables that name a session. */
    ids: z.array(z.record(z.string(), z.string())),
    client: z.looseObject({ name: z.string(), version: z.string() }),
    calls: z.array(
      z.looseObject({
        name: z.string(),
        arguments: z.record(z.string(), z.unknown()),
        _meta: z.record(z.string(), z.unknown()).default({}),
      }),
    ),
  }),
  hookVariables: z.array(z.string()),
  hooks: z.array(
    z.strictObject({ event: z.string().refine(isHookEvent), input: z.looseObject({}) }),
  ),
})

const FOLDER = new URL('recorded/', import.meta.url)

/** The repository of the recorded sessions. */
export const REPOSITORY = '/scratch/repository'

/**
 * What each host sent to `waymark serve` and `waymark hook` while it played the story of the lab, written by
 * `npm run hosts -- --record packages/waymark/test/hook/recorded`.
 */
export const RECORDED = readdirSync(FOLDER).map((name) =>
  Recorded.parse(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))),
)
export type Recorded = z.output<typeof Recorded>
