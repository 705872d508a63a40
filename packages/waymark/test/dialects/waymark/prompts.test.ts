import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import { PROMPTS } from '../../../src/dialects/waymark/prompts.ts'
import listed from '../../../src/dialects/waymark/tools.generated.json' with { type: 'json' }
import { connect } from '../client.ts'

const skill = readFileSync(
  fileURLToPath(new URL('../../../../../scripts/integrations/SKILL.md', import.meta.url)),
  'utf8',
)

const core = listed.filter(({ toolset }) => toolset === 'core')

/** Words of a text that can only be meant as names of tools or of their parameters. */
function namesIn(text: string): readonly string[] {
  return text.match(/\b[a-z]+_[a-z_]+\b/g) ?? []
}

const VALUES = ['lease_lost', 'not_initialised', 'dead_end', 'note_type']

it('the native dialect offers its recipes as prompts, which hosts show as commands [native-prompts]', async () => {
  await using client = await connect('waymark')
  const { result } = await client.request('prompts/list')
  expect(result).toMatchObject({
    prompts: ['plan', 'brief', 'decide', 'handoff', 'why'].map((name) => ({ name })),
  })
  const get = (name: string, args: Record<string, string>) =>
    client.request('prompts/get', { name, arguments: args })
  expect(JSON.stringify(await get('why', { place: 'src/a.ts' }))).toContain('src/a.ts')
  expect(JSON.stringify(await get('brief', {}))).toContain('Brief me on this repository.')
  expect((await get('plan', {})).error).toMatchObject({ message: 'Missing argument: goal' })
  expect((await get('none', {})).error).toMatchObject({ message: 'Unknown prompt: none' })
})

it('prompts and the skill name only tools and parameters that exist', () => {
  const known = new Set([
    ...VALUES,
    ...core.map(({ name }) => name),
    ...namesIn(JSON.stringify(core)),
  ])
  const texts = [...PROMPTS.map((prompt) => prompt.render({})), skill]
  expect(texts.flatMap(namesIn).filter((name) => !known.has(name))).toEqual([])
})

it('the skill teaches the loop in under 600 tokens [skill-tokens]', () => {
  expect(skill).toMatch(/^---\nname: waymark\ndescription: .{1,1024}\n---\n/)
  const named = ['brief', 'task_next', 'code_why', 'recall', 'remember', 'task_update']
  for (const tool of named) expect(skill).toContain(`\`${tool}\``)
  expect(encode(skill).length).toBeLessThan(600)
})
