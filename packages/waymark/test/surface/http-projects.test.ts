import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { execute } from '../../src/core/execute.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { addArtifact } from '../../src/artifact/operations.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { allOperations } from '../../src/registry.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { readMarker } from '../../src/core/store/state-folder.ts'
import { type Setup, setup } from '../setup.ts'
import { createTestSite, type TestSite } from './test-site.ts'

const CANARY = 'canary-of-the-other-project'

/** One of everything that has an id, and what it is called by. */
async function fill(project: Setup, text: string) {
  const { context } = project
  const { id: note } = await execute(context, createEntity, { type: 'note', title: text })
  const { task } = await execute(context, createTask, { title: text })
  const { hash } = await execute(context, addArtifact, { text, name: text })
  const { agent } = await execute(context, joinAgent, { name: text })
  await execute(context, sendMessage, { body: text })
  return { note, task: task.id, artifact: hash, agent: agent.id }
}

type Ids = Awaited<ReturnType<typeof fill>>

/** Fields in which operations take the id of something, and an own one that each of them would take. */
const REFERENCES: Readonly<Record<string, keyof Ids>> = {
  id: 'task',
  source: 'note',
  target: 'task',
  old: 'note',
  new: 'note',
  task: 'task',
  parent: 'task',
  from: 'note',
  to: 'task',
  duplicates: 'task',
  agent_id: 'agent',
  link: 'task',
}
const LISTS: Readonly<Record<string, keyof Ids>> = { ids: 'task', links: 'note' }
/** What else an operation cannot do without. */
const OTHERS: Readonly<Record<string, unknown>> = {
  type: 'references',
  body: 'x',
  until: '2027-01-01',
  due_date: '2027-01-01',
  text: 'x',
}

/** The ids of another project that a field may take, each with one of the same form that nobody has. */
function forms(field: string, { note, task, artifact, agent }: Ids) {
  const ofAgent = [agent, `A${twin(agent.slice(1))}`] as const
  if (field === 'agent_id') return [ofAgent]
  const ids = [task, note.slice(0, 8), artifact].map((id) => [id, twin(id)] as const)
  return field === 'to' ? [...ids, ofAgent] : ids
}

/** Digits for digits and letters for letters, so that it is read as the same kind of id. */
function twin(id: string): string {
  const isUuid = id.includes('-')
  return Array.from(id, (character, at) =>
    isUuid && (at === 14 || at === 19) ? character : rotate(character),
  ).join('')
}

function rotate(character: string): string {
  for (const ring of ['0123456789', 'abcdef', 'ABCDEF']) {
    const at = ring.indexOf(character)
    if (at !== -1) return ring[(at + 1) % ring.length] ?? ''
  }
  return character
}

async function ask(site: TestSite, path: string, input: object) {
  const response = await site.ask(path, {
    method: 'POST',
    body: JSON.stringify(input),
    headers: { 'content-type': 'application/json' },
  })
  return { status: response.status, text: await response.text() }
}

it('an id of another project is like one that nobody has, in every operation and every form [http-projects-id-another]', async () => {
  await using own = await setup()
  await using other = await setup()
  const ids = await fill(own, 'own')
  const foreign = await fill(other, CANARY)
  const env = { WAYMARK_RATE_LIMIT: '0' }
  await using site = createTestSite(own.directory, { others: [other.directory], env })
  // Both are open, so that whatever they might share is there.
  await ask(site, `/projects/${basename(other.directory)}/api/entity.list`, {})
  let compared = 0
  for (const { name, input, effect } of await allOperations()) {
    const fields = Object.keys(input.shape).filter((field) => field in REFERENCES || field in LISTS)
    const needed = Object.entries(input.shape)
      .filter(([, schema]) => !schema.safeParse(undefined).success)
      .map(([field]) => [field, fieldValue(field, ids)] as const)
    for (const field of fields) {
      const given = Object.fromEntries(needed)
      for (const [theirs, nobodys] of forms(field, foreign)) {
        const answer = async (value: string) => {
          const wrapped = field in LISTS ? [value] : value
          const { status, text } = await ask(site, `/api/${name}`, { ...given, [field]: wrapped })
          expect(text, `${name} ${field}`).not.toContain(CANARY)
          return { status, text: text.replaceAll(value, '?') }
        }
        expect(await answer(theirs), `${name} ${field} ${theirs}`).toEqual(await answer(nobodys))
        compared += 1
      }
    }
    if (fields.length > 0 || effect !== 'read' || name === 'event.wait') continue
    const { text } = await ask(site, `/api/${name}`, Object.fromEntries(needed))
    expect(text, name).not.toContain(CANARY)
  }
  expect(compared).toBeGreaterThan(120)
})

function fieldValue(field: string, ids: Ids): unknown {
  const reference = REFERENCES[field] ?? LISTS[field]
  if (reference !== undefined) return field in LISTS ? [ids[reference]] : ids[reference]
  return OTHERS[field] ?? 'x'
}

it('a token for one project learns nothing of the others, not even which there are [http-projects-token-project]', async () => {
  await using own = await setup()
  await using other = await setup()
  const noProject = mkdtempSync(join(tmpdir(), 'waymark-test-'))
  await using issuer = await createIssuer(SCOPES)
  const others = [other.directory, noProject]
  await using site = createTestSite(own.directory, { issuer, others })
  const names = { other: basename(other.directory), broken: basename(noProject), none: 'none' }
  const projectId = readMarker(join(own.directory, '.git', 'waymark'))?.projectId
  for (const claim of [basename(own.directory), [projectId]]) {
    const token = await site.tokenFor(SCOPES, { project_id: claim })
    const get = async (path: string, method = 'GET') => {
      const authorization = `Bearer ${token}`
      const response = await site.ask(path, { method, headers: { authorization } })
      return { status: response.status, text: await response.text() }
    }
    expect((await get('/api/entity.list')).status).toBe(200)
    for (const end of [
      '/api/entity.list',
      '/api/none.none',
      '/mcp',
      '/mcp/none',
      '/cas',
      '/mcp/sse',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const [first, ...rest] = await Promise.all(
          Object.values(names).map((name) => get(`/projects/${name}${end}`, method)),
        )
        expect(first?.status, end).toBe(403)
        for (const answer of rest) expect(answer, end).toEqual(first)
      }
    }
  }
  rmSync(noProject, { recursive: true })
})
