import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { toAgentId } from '../../../src/agent/agent.ts'
import { reanchorReason } from '../../../src/annotation/drift/reanchor.ts'
import { annotateCode } from '../../../src/annotation/write/annotate.ts'
import { correctCode } from '../../../src/annotation/write/correct.ts'
import { showBrief } from '../../../src/brief/operations.ts'
import type { Context } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import type { Operation } from '../../../src/core/operation.ts'
import { thisProcess, toProcessName } from '../../../src/support/process-identity.ts'
import { claimTask } from '../../../src/task/lease/operations.ts'
import { createTask } from '../../../src/task/operations.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'
const place = { path: FILE, anchor: 'Client.connect' }

function session(test: CodeSetup, id: string, name: string): Context {
  const process = { name, startedAt: test.context.now() }
  const host = { name: 'claude-code', surface: 'mcp' } as const
  return test.as('', { agent: { ...host, id: toAgentId(id), session: id, process } })
}

/** A session whose process has ended, and which another one has replaced since. */
async function replaced(test: CodeSetup): Promise<Context> {
  const ended = toProcessName(spawnSync(process.execPath, ['--version']).pid, '1')
  const first = session(test, 'S1', ended)
  await execute(test.context, createTask, { title: 'Connect' })
  await execute(first, claimTask, { id: '1' })
  const second = session(test, 'S2', thisProcess())
  expect((await execute(second, showBrief, {})).leases).toHaveLength(1)
  return first
}

it('a late annotation of a replaced session is refused before it is in Git [late-session-annotation]', async () => {
  await using test = await setupCode()
  test.commit('one', { [FILE]: CLIENT })
  await test.annotate({
    summary: 'A client that retries on its own',
    regions: [{ file: FILE, anchor: 'connect', intent: 'Dial once' }],
  })
  test.commit('two', { [FILE]: CLIENT.replace('retries)', 'retries + 1)') })
  const late = await replaced(test)
  const writes: readonly (readonly [Operation, object])[] = [
    [annotateCode, { summary: 'Written too late', regions: [{ file: FILE, intent: 'Late' }] }],
    [correctCode, { ...place, type: 'remove', reason: 'too late' }],
    [reanchorReason, place],
  ]
  const notes = test.git('rev-parse', 'refs/notes/waymark')
  for (const [operation, input] of writes) {
    test.context.store.sessionAgents.set('S1', { id: toAgentId('S1'), name: 'claude-code' })
    await expect(execute(late, operation, input)).rejects.toMatchObject({
      details: { reason: 'session_replaced' },
    })
    expect(test.git('rev-parse', 'refs/notes/waymark'), operation.name).toBe(notes)
  }
  expect((await test.read({ path: FILE })).regions).toMatchObject([{ intent: 'Dial once' }])
})
