import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { TEAM_ROUTES } from '../../src/surfaces/http/team/team-route.ts'
import { createDatabase, createTeamSite } from './team-site.ts'

interface Document {
  readonly paths: Record<string, Record<string, { summary: string; requestBody?: object }>>
}

it('the document of a team server is valid and has the routes of members, tokens, quotas and audit [team-openapi]', async () => {
  await using database = await createDatabase()
  await database.admin('init', 'api')
  await using team = await createTeamSite(database)
  const document = (await (await team.ask('/openapi.json')).json()) as Document
  const { valid, errors } = await new Validator().validate({ ...document })
  expect([valid, errors]).toEqual([true, undefined])
  const described = Object.entries(document.paths).filter(([path]) => path.includes('/team/'))
  const routes = described.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ path, method, summary })),
  )
  expect(routes).toHaveLength(TEAM_ROUTES.length)
  for (const { path, method, summary } of routes) {
    // Words, and not the name of the route.
    expect(summary, path).toMatch(/^[A-Z][a-z]+ .{5,}/)
    const answer = await team.ask(path.replace('{project}', 'api').replace('{name}', 'none'), {
      method: method.toUpperCase(),
      ...(method === 'put' || method === 'post' ? { body: '{}' } : {}),
      headers: { 'content-type': 'application/json' },
    })
    expect(await answer.text(), path).not.toContain('no such route')
  }
})
