import { mkdirSync, writeFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connect, type Fields } from '../client.ts'
import { join, lodestarWith } from './crew.ts'

const MINUTE = 60_000
const CHAIN = [
  { key: 'T001', title: 'First', labels: ['api'] },
  { key: 'T002', title: 'Second', depends_on: ['T001'] },
]

describe('tools', () => {
  it('there are 16 with dotted names, each with a text, a structured result and its schema [tools-16-dotted]', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const { result } = await lodestar.request('tools/list')
    const tools = result?.['tools'] as { name: string; outputSchema?: Fields }[]
    expect(tools.map(({ name }) => name)).toEqual([
      'lodestar.repo.status',
      'lodestar.agent.join',
      'lodestar.agent.heartbeat',
      'lodestar.agent.leave',
      'lodestar.task.list',
      'lodestar.task.get',
      'lodestar.task.next',
      'lodestar.task.claim',
      'lodestar.task.release',
      'lodestar.task.done',
      'lodestar.task.verify',
      'lodestar.task.context',
      'lodestar.message.send',
      'lodestar.message.list',
      'lodestar.message.ack',
      'lodestar.events.pull',
    ])
    for (const { outputSchema } of tools) expect(outputSchema).toMatchObject({ type: 'object' })
    const { content, structuredContent } = await lodestar.result('lodestar.task.next')
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining('T001') }])
    expect(structuredContent).toMatchObject({ candidates: [{ id: 'T001' }] })
  })

  it('underscores are always understood, and listed instead for hosts that refuse dots [tools-underscores-always]', async () => {
    await using dotted = await lodestarWith(CHAIN)
    expect(await dotted.call('lodestar_task_list')).toMatchObject({ count: 2 })
    await using plain = await connect('lodestar', { server: { toolNames: 'underscore' } })
    const { result } = await plain.request('tools/list')
    const names = ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
    expect(names).toHaveLength(16)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(await plain.call('lodestar.repo.status')).toMatchObject({ counts: {} })
  })

  it('repo.status says where we are and what to do next [tools-repo-status]', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const agentId = await join(lodestar, 'ann')
    await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
    const { directory } = lodestar.project
    expect(await lodestar.call('lodestar.repo.status', { agentId })).toEqual({
      repoRoot: directory,
      specPath: joinPath(directory, '.lodestar/spec.yaml'),
      runtimePath: joinPath(directory, '.git/waymark/waymark.db'),
      counts: {
        tasks: { ready: 2, done: 0, verified: 0, deleted: 0 },
        claimable: 0,
        activeLeases: 1,
        agentsOnline: 1,
        unreadMessages: 0,
      },
      suggestedNextActions: ['look into 1 blocked task: nothing else is ready'],
    })
  })

  it('agent.join gives every caller an identity of its own and clamps its leases [tools-agent-join]', async () => {
    await using lodestar = await lodestarWith([])
    const joined = await lodestar.call('lodestar.agent.join', {
      name: 'ann',
      client: 'vscode',
      model: 'opus',
      capabilities: { supportsPush: true },
      ttlSeconds: 10,
    })
    expect(joined).toEqual({
      agentId: expect.stringMatching(/^A[0-9A-F]{8}$/),
      leaseDefaults: { ttlSeconds: 60 },
      serverTime: '2026-11-15T12:00:00.000Z',
      notes: ['ttlSeconds was set to 60: it must be between 60 and 7200'],
    })
    expect(await join(lodestar, 'ann')).not.toBe(joined['agentId'])
  })

  it('agent.heartbeat refreshes presence, and says so when the agent is unknown [tools-agent-heartbeat]', async () => {
    await using lodestar = await lodestarWith([])
    const agentId = await join(lodestar, 'ann')
    expect(await lodestar.call('lodestar.agent.heartbeat', { agentId })).toEqual({
      ok: true,
      expiresAt: '2026-11-15T12:15:00.000Z',
      heldTaskIds: [],
      warnings: [],
    })
    expect(await lodestar.call('lodestar.agent.heartbeat', { agentId: 'A0' })).toMatchObject({
      ok: false,
      warnings: [{ type: 'AGENT_NOT_REGISTERED' }],
    })
  })

  it('agent.leave marks the agent offline and frees its tasks [tools-agent-leave]', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const agentId = await join(lodestar, 'ann')
    await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
    expect(await lodestar.call('lodestar.agent.leave', { agentId, reason: 'done' })).toEqual({
      ok: true,
      releasedTaskIds: ['T001'],
    })
    expect(await lodestar.call('lodestar.repo.status')).toMatchObject({
      counts: { activeLeases: 0, agentsOnline: 0 },
    })
  })

  it('task.list filters by status and label and pages without gaps [tools-task-list]', async () => {
    await using lodestar = await lodestarWith([
      ...CHAIN,
      { key: 'T003', title: 'Gone', status: 'cancelled' },
      { key: 'T004', title: 'Done', status: 'done' },
      { key: 'T005', title: 'Verified', status: 'done', needs_verification: false },
    ])
    const ids = async (args: Fields) =>
      ((await lodestar.call('lodestar.task.list', args))['tasks'] as Fields[]).map(({ id }) => id)
    expect(await ids({})).toEqual(['T001', 'T002', 'T004', 'T005'])
    expect(await ids({ status: 'all' })).toEqual(['T001', 'T002', 'T003', 'T004', 'T005'])
    expect(await ids({ status: 'ready' })).toEqual(['T001', 'T002'])
    expect(await ids({ status: 'done' })).toEqual(['T004'])
    expect(await ids({ status: 'verified' })).toEqual(['T005'])
    expect(await ids({ status: 'deleted' })).toEqual(['T003'])
    expect(await ids({ label: 'api' })).toEqual(['T001'])
    const first = await lodestar.call('lodestar.task.list', { limit: 3 })
    expect(first).toMatchObject({ count: 3, total: 4, nextCursor: expect.any(String) })
    expect(await ids({ limit: 3, cursor: first['nextCursor'] })).toEqual(['T005'])
  })

  it('task.get shows definition, runtime state and dependencies [tools-task-get]', async () => {
    await using lodestar = await lodestarWith([
      { ...CHAIN[0], content: 'Do it', acceptance_criteria: ['works'], locks: ['src/**'] },
      ...CHAIN.slice(1),
    ])
    const agentId = await join(lodestar, 'ann')
    await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
    expect(await lodestar.call('lodestar.task.get', { taskId: 'T001' })).toEqual({
      task: {
        id: 'T001',
        title: 'First',
        status: 'ready',
        priority: 100,
        labels: ['api'],
        dependencies: [],
        claimedByAgentId: agentId,
        leaseExpiresAt: '2026-11-15T12:15:00.000Z',
        updatedAt: '2026-11-15T12:00:00.000Z',
        description: 'Do it',
        acceptanceCriteria: ['works'],
        locks: ['src/**'],
        dependents: ['T002'],
        unmetDependencies: [],
      },
      runtime: {
        status: 'ready',
        claimedBy: agentId,
        lease: {
          taskId: 'T001',
          agentId,
          expiresAt: '2026-11-15T12:15:00.000Z',
          ttlSeconds: 900,
        },
        createdAt: '2026-11-15T12:00:00.000Z',
        updatedAt: '2026-11-15T12:00:00.000Z',
      },
      warnings: [],
    })
    expect(await lodestar.call('lodestar.task.get', { taskId: 'T002' })).toMatchObject({
      task: { dependencies: ['T001'], unmetDependencies: ['T001'] },
    })
  })

  it('task.context gives the section of the PRD and tells when it has drifted [tools-task-context]', async () => {
    await using lodestar = await lodestarWith([])
    const { directory } = lodestar.project
    mkdirSync(joinPath(directory, 'docs'))
    const write = (text: string) => writeFileSync(joinPath(directory, 'docs/prd.md'), text)
    write('# P\n\n## Auth\n\nBy mail.\n\n## Other\n\nx\n')
    await using filled = await lodestarWith(
      [{ key: 'T1', title: 'Auth', prd_source: 'docs/prd.md', prd_refs: ['auth'] }],
      { project: lodestar.project },
    )
    const context = () => filled.call('lodestar.task.context', { taskId: 'T1' })
    expect(await context()).toMatchObject({
      context: {
        prdSource: 'docs/prd.md',
        prdRef: 'auth',
        prdSections: [{ anchor: 'auth', content: '## Auth\n\nBy mail.' }],
        drift: { changed: false },
      },
      warnings: [],
    })
    write('# P\n\n## Auth\n\nBy key.\n\n## Other\n\ny\n')
    expect(await context()).toMatchObject({
      context: { drift: { changed: true, details: ['section auth has changed'] } },
      warnings: [{ type: 'PRD_DRIFT_DETECTED' }],
    })
    expect(await filled.call('lodestar.task.get', { taskId: 'T1' })).toMatchObject({
      warnings: [{ type: 'PRD_DRIFT_DETECTED' }],
    })
  })
})

describe('claims', () => {
  it('a claim names its lease; a second one gets ok false and the holder [tools-claim-names]', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const ann = await join(lodestar, 'ann')
    const bob = await join(lodestar, 'bob')
    expect(
      await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId: ann, ttlSeconds: 1 }),
    ).toEqual({
      ok: true,
      lease: {
        taskId: 'T001',
        agentId: ann,
        expiresAt: '2026-11-15T12:01:00.000Z',
        ttlSeconds: 60,
        fence: 1,
      },
      warnings: [],
      unreadCount: 0,
    })
    expect(
      await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId: bob, force: true }),
    ).toMatchObject({
      ok: false,
      conflict: { claimedByAgentId: ann, expiresAt: '2026-11-15T12:01:00.000Z' },
    })
    lodestar.project.tick(MINUTE)
    expect(
      await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId: bob, force: true }),
    ).toMatchObject({ ok: true, lease: { agentId: bob, fence: 2 } })
  })

  it('a task is kept by claiming it again, however long the work takes', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const claim = { taskId: 'T001', agentId: await join(lodestar, 'ann') }
    for (let renewal = 0; renewal < 50; renewal += 1) {
      expect(await lodestar.call('lodestar.task.claim', claim)).toMatchObject({
        ok: true,
        lease: { fence: 1, ttlSeconds: 900 },
      })
      lodestar.project.tick(10 * MINUTE)
    }
    expect(await lodestar.call('lodestar.task.get', claim)).toMatchObject({
      runtime: { lease: { ttlSeconds: 300 } },
    })
    expect(await lodestar.call('lodestar.task.release', claim)).toMatchObject({
      previousLease: { ttlSeconds: 300 },
    })
    expect(await lodestar.call('lodestar.task.claim', claim)).toMatchObject({ ok: true })
  })

  it('files that another agent has reserved are a warning [tools-files-another]', async () => {
    await using lodestar = await lodestarWith([
      { key: 'T1', title: 'A', locks: ['src/**'] },
      { key: 'T2', title: 'B', locks: ['src/a.ts'] },
    ])
    const ann = await join(lodestar, 'ann')
    const bob = await join(lodestar, 'bob')
    await lodestar.call('lodestar.task.claim', { taskId: 'T1', agentId: ann })
    expect(
      await lodestar.call('lodestar.task.claim', { taskId: 'T2', agentId: bob }),
    ).toMatchObject({ ok: true, warnings: [{ type: 'LOCK_CONFLICT' }] })
  })

  it('done without a claim warns, done by another than the holder is refused [tools-done-claim]', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const ann = await join(lodestar, 'ann')
    const bob = await join(lodestar, 'bob')
    await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId: ann })
    expect(
      await lodestar.refusal('lodestar.task.done', { taskId: 'T001', agentId: bob }),
    ).toMatchObject({ error_code: 'TASK_ALREADY_CLAIMED' })
    await lodestar.call('lodestar.task.release', { taskId: 'T001', agentId: ann })
    expect(await lodestar.call('lodestar.task.done', { taskId: 'T001', agentId: bob })).toEqual({
      ok: true,
      status: 'done',
      warnings: [
        { type: 'NOT_CLAIMED_BY_YOU', message: 'not claimed by you' },
        { type: 'DEPENDENTS_WAITING', message: '1 tasks wait until this one is verified' },
      ],
    })
    await lodestar.call('lodestar.task.verify', { taskId: 'T001', agentId: bob })
    expect(
      await lodestar.call('lodestar.task.done', { taskId: 'T001', agentId: bob }),
    ).toMatchObject({ status: 'verified', warnings: [{ type: 'ALREADY_DONE' }] })
    expect(
      await lodestar.refusal('lodestar.task.done', { taskId: 'T001', agentId: 'A0' }),
    ).toMatchObject({ error_code: 'AGENT_NOT_REGISTERED' })
  })

  it('a message left for a task is shown to whoever claims it [tools-message-left]', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const ann = await join(lodestar, 'ann')
    const bob = await join(lodestar, 'bob')
    await lodestar.call('lodestar.message.send', {
      fromAgentId: ann,
      taskId: 'T001',
      body: 'tests are missing',
      severity: 'handoff',
    })
    expect(
      await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId: bob }),
    ).toMatchObject({
      handoffMessage: { from: ann, taskId: 'T001', body: 'tests are missing' },
      unreadCount: 1,
    })
  })

  it('progress is reported while a task is verified, if it was asked for [tools-progress-reported]', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const agentId = await join(lodestar, 'ann')
    await lodestar.call('lodestar.task.done', { taskId: 'T001', agentId })
    const { structuredContent } = await lodestar.result(
      'lodestar.task.verify',
      { taskId: 'T001', agentId },
      { progressToken: 'p1' },
    )
    expect(structuredContent).toMatchObject({ status: 'verified', newlyReadyTaskIds: ['T002'] })
    const reported = lodestar.client.received
      .map((message) => message as { method?: string; params?: Fields })
      .filter(({ method }) => method === 'notifications/progress')
    expect(reported.length).toBeGreaterThanOrEqual(1)
    expect(reported.at(-1)?.params).toMatchObject({ progressToken: 'p1', total: 3 })
  })
})

describe('errors', () => {
  it.each([
    ['task.get', { taskId: 'T9' }, 'TASK_NOT_FOUND'],
    ['task.get', { taskId: '' }, 'INVALID_TASK_ID'],
    ['task.get', {}, 'INVALID_TASK_ID'],
    ['task.claim', { taskId: 'T001' }, 'INVALID_AGENT_ID'],
    ['task.claim', { taskId: 'T001', agentId: 'A0' }, 'AGENT_NOT_REGISTERED'],
    ['task.release', { taskId: 'T001', agentId: 'ME' }, 'NO_ACTIVE_LEASE'],
    ['task.verify', { taskId: 'T001', agentId: 'ME' }, 'TASK_NOT_DONE'],
    ['task.claim', { taskId: 'T002', agentId: 'ME' }, 'TASK_NOT_CLAIMABLE'],
    ['task.done', { taskId: 'T001', agentId: 'A0' }, 'AGENT_NOT_REGISTERED'],
    ['task.list', { limit: 201 }, 'LIMIT_TOO_LARGE'],
    ['task.list', { limit: 0 }, 'INVALID_LIMIT'],
    ['task.list', { cursor: 'x' }, 'INVALID_CURSOR'],
    ['task.next', { limit: 21 }, 'LIMIT_TOO_LARGE'],
    ['message.send', { fromAgentId: 'ME', body: '' }, 'INVALID_BODY'],
    ['message.send', { fromAgentId: 'ME', body: 'x'.repeat(16_385) }, 'BODY_TOO_LARGE'],
    ['message.send', { fromAgentId: 'A0', body: 'x' }, 'AGENT_NOT_REGISTERED'],
    ['message.send', { fromAgentId: 'ME', toAgentId: 'A0', body: 'x' }, 'AGENT_NOT_FOUND'],
    ['message.send', { fromAgentId: 'ME', body: 'x', severity: 'panic' }, 'INVALID_SEVERITY'],
    ['message.list', { agentId: 'A0' }, 'AGENT_NOT_REGISTERED'],
    ['message.ack', { agentId: 'ME', messageIds: [] }, 'INVALID_MESSAGE_IDS'],
    ['events.pull', { sinceCursor: -1 }, 'INVALID_CURSOR'],
    ['events.pull', { limit: 1001 }, 'LIMIT_TOO_LARGE'],
  ])('%s %j is %s [tools-2]', async (tool, args, code) => {
    await using lodestar = await lodestarWith(CHAIN)
    const me = await join(lodestar, 'me')
    const own = Object.entries(args).map(([name, value]) => [name, value === 'ME' ? me : value])
    const refused = await lodestar.refusal(`lodestar.${tool}`, Object.fromEntries(own))
    expect(refused).toMatchObject({
      error_code: code,
      error: expect.stringMatching(/\w/),
      retriable: false,
    })
  })

  it('an unmet dependency is named, with what to do instead [tools-unmet-dependency]', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const agentId = await join(lodestar, 'me')
    expect(
      await lodestar.refusal('lodestar.task.claim', { taskId: 'T002', agentId }),
    ).toMatchObject({
      error_code: 'TASK_NOT_CLAIMABLE',
      details: { unmet_dependencies: ['T001'] },
      suggested_action: 'call lodestar.task.next for tasks that can be claimed',
    })
  })

  it.each([
    ['task.get', { taskId: 'T9' }, 'taskId', 'taskId: there is no task "T9"'],
    ['task.done', { taskId: 'T001', agentId: 'A0' }, 'agentId', 'no agent "A0" has joined'],
    ['message.send', { fromAgentId: 'A0', body: 'x' }, 'fromAgentId', 'no agent "A0" has joined'],
    ['message.list', { agentId: 'ME', sinceId: 'abc' }, 'sinceId', 'sinceId: must be a number'],
    [
      'message.ack',
      { agentId: 'ME', messageIds: ['x'] },
      'messageIds.0',
      'messageIds.0: must be a number',
    ],
  ])('%s %j speaks of the field by the name it has here', async (tool, args, field, error) => {
    await using lodestar = await lodestarWith(CHAIN)
    const me = await join(lodestar, 'me')
    const own = Object.entries(args).map(([name, value]) => [name, value === 'ME' ? me : value])
    const refused = await lodestar.refusal(`lodestar.${tool}`, Object.fromEntries(own))
    expect(refused).toMatchObject({ error, details: { field } })
  })

  it('a refusal names the state of a task in the words of this dialect', async () => {
    await using lodestar = await lodestarWith(CHAIN)
    const agentId = await join(lodestar, 'me')
    await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
    const refused = await lodestar.refusal('lodestar.task.verify', { taskId: 'T001', agentId })
    expect(refused).toMatchObject({
      details: { status: 'ready' },
      current_state: { status: 'ready' },
    })
  })
})
