import { expect, it } from 'vitest'
import * as z from 'zod'
import { execute } from '../../src/core/execute.ts'
import type { Operation } from '../../src/core/operation.ts'
import { addHook } from '../../src/hook/operations.ts'
import { allOperations } from '../../src/registry.ts'
import { requiredScopes, SCOPES } from '../../src/core/scopes.ts'
import { setup } from '../setup.ts'

const operations = await allOperations()

/** Each scope and the operations that need it. */
const NEEDED: Readonly<Record<string, RegExp>> = {
  'tasks:read':
    /^(task\.(get|get_many|list|ready|next|blocked|board|tree|explain|context|check_edit|reserved)|spec\.export|(board|brief|status|insight)\.show|lane\.list|replica\.read)$/,
  'tasks:write':
    /^(task\.(create|create_many|update|edit|delete|claim|take|take_back|renew|release|complete|cancel|reopen|verify|reschedule|defer|reorder|import)|spec\.sync|exchange\.\w+|replica\.take)$/,
  'projects:read':
    /^(project\.\w+|cache\.stats|hook\.status|replica\.read|health\.\w+|job\.(list|show))$/,
  'projects:write':
    /^(cache\.rebuild|hook\.(un)?install|snapshot\.create|sync\.\w+|backup\.\w+|store\.\w+|replica\.take|job\.(start|cancel))$/,
  'entities:read':
    /^(entity\.(get|list|history|tags)|replica\.read|relation\.list|graph\.\w+|prompt\.\w+|search\.\w+|(brief|status)\.show)$/,
  'entities:write':
    /^(entity\.(create|update|delete|restore|resolve|purge|batch)|relation\.(create|delete)|decision\.supersede|history\.(undo|revert)|exchange\.\w+|replica\.take)$/,
  'code:read': /^((code|search)\.\w+|brief\.show)$/,
  'code:write': /^code\.\w+$/,
  'agents:read': /^(agent|lane)\.list$/,
  'agents:write': /^agent\.(join|heartbeat|leave|hook)$/,
  'messages:read':
    /^(message\.(inbox|list|thread|search|get)|search\.\w+|(brief|status|insight)\.show|lane\.list)$/,
  'messages:write': /^message\.(send|answer|ack)$/,
  'events:read': /^event\.\w+$/,
  'artifacts:read': /^(artifact\.(show|list|read|lineage|stats)|search\.\w+)$/,
  'artifacts:write': /^artifact\.(add|get|tag|link|remove|collect)$/,
}

it.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s needs scopes that can be granted, of reading alone when it only reads',
  (name, operation) => {
    const needed = requiredScopes(operation)
    expect(needed.length).toBeGreaterThan(0)
    expect(SCOPES).toEqual(expect.arrayContaining([...needed]))
    const suffix = operation.effect === 'read' ? ':read' : ':write'
    expect(needed.filter((scope) => !scope.endsWith(suffix))).toEqual([])
    for (const scope of needed) expect(name).toMatch(NEEDED[scope] ?? /^$/)
  },
)

it('every operation runs with its scopes and is refused without any one of them', async () => {
  await using project = await setup()
  for (const operation of operations) {
    const needed = requiredScopes(operation)
    const callWith = async (scopes: readonly string[]) =>
      await execute(
        project.as('token', { access: { readOnly: false, scopes: new Set(scopes) } }),
        withoutWork(operation),
        {},
      )
    expect(await callWith(needed)).toBe('ran')
    for (const missing of needed) {
      await expect(callWith(SCOPES.filter((scope) => scope !== missing))).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining(missing),
        details: { reason: 'insufficient_scope', scopes: needed },
      })
    }
  }
})

function withoutWork(operation: Operation): Operation {
  return {
    ...operation,
    input: z.object({}),
    output: z.literal('ran'),
    run: async () => 'ran',
  }
}

it('the scopes of an operation that depend on its input are judged by what was given', async () => {
  await using project = await setup()
  const install = async (scope: string, kind: string) =>
    await execute(
      project.as('token', { access: { readOnly: false, scopes: new Set([scope]) } }),
      { ...withoutWork(addHook), input: addHook.input },
      { kind },
    )
  expect(await install('code:write', 'code')).toBe('ran')
  expect(await install('projects:write', 'snapshot')).toBe('ran')
  for (const [scope, kind, missing] of [
    ['projects:write', 'code', 'code:write'],
    ['code:write', 'snapshot', 'projects:write'],
  ] as const)
    await expect(install(scope, kind)).rejects.toMatchObject({
      code: 'forbidden',
      message: `hook.install needs the scope ${missing}`,
      details: { reason: 'insufficient_scope', scopes: [missing] },
    })
})

it('every scope is needed by something', () => {
  const needed = new Set(operations.flatMap((operation) => requiredScopes(operation)))
  expect(SCOPES.filter((scope) => !needed.has(scope))).toEqual([])
})

it('an operation of a noun without an area is allowed by no token', () => {
  expect(() => requiredScopes({ name: 'secret.show', effect: 'read' })).toThrow(/no noun.ts/)
})
