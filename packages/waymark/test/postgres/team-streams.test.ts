import { afterEach, expect, it, vi } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { MACHINE_CLOCK } from '../../src/core/clock/machine-clock.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { readFrames } from '../surface/event-frames.ts'
import { createDatabase, createTeamSite, ORIGIN } from './team-site.ts'

afterEach(() => vi.restoreAllMocks())

it('the stream of a member who was removed ends within 15 minutes, as that of a revoked token [team-stream-ends]', async () => {
  await using database = await createDatabase()
  await database.admin('init', 'api')
  await database.admin('member', 'add', 'ann', '--project', 'api', '--role', 'reader')
  const words = ['token', 'create', 'ci', '--project', 'api']
  const { id, token } = await database.admin<{ id: string; token: string }>(...words)
  await using issuer = await createIssuer(SCOPES)
  await using site = await createTeamSite(database, { issuer })
  const claims = { ...issuer.goodClaims(), sub: 'ann', aud: ORIGIN, scope: SCOPES.join(' ') }
  const exp = Math.floor(Date.now() / 1000) + 7200
  const path = '/projects/api/api/event.stream?since=0'
  for (const [at, given] of [token, await issuer.sign({ ...claims, exp })].entries()) {
    await using stream = readFrames(await site.ask(path, {}, given))
    await site.call('/projects/api/api/task.create', { title: `Before ${at}` })
    const has = (title: string) => (frame: object) => JSON.stringify(frame).includes(title)
    expect((await stream.until(has(`Before ${at}`))).some(has(`Before ${at}`))).toBe(true)
    const later = Date.now() + 15 * 60_000
    const clock = vi.spyOn(MACHINE_CLOCK, 'now').mockReturnValue(later)
    await site.call('/projects/api/api/task.create', { title: `After ${at}` })
    expect((await stream.until(has(`After ${at}`))).some(has(`After ${at}`)), `${at}`).toBe(false)
    clock.mockRestore()
  }
  await database.admin('token', 'revoke', id, '--project', 'api')
  await database.admin('member', 'remove', 'ann', '--project', 'api')
  expect((await site.ask(path, {}, token)).status).toBe(401)
  expect((await site.ask(path, {}, await issuer.sign({ ...claims, exp }))).status).toBe(404)
})
