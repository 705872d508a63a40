import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { fillTemplate, variablesOf } from './prompt.ts'
import { toUniqueSlugs } from '../support/text/slug.ts'
import { describeTrust } from '../agent/trust-text.ts'
import { firstCharacters, quote, toVisible } from '../support/text/visible-text.ts'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { violation } from '../core/input/parse.ts'
import type { EntityRow } from '../entity/store.ts'
import { BUILT_IN_PROMPTS } from './built-in.ts'
import { type Column, joined, line, own, raw, table } from '../core/show.ts'

const MOST_PROMPTS = 1000
const LONGEST_DESCRIPTION = 200

const promptView = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().optional(),
  arguments: z.array(
    z.object({ name: z.string(), description: z.string().optional(), required: z.boolean() }),
  ),
  number: z.int().optional().describe('Of the entity it comes from; absent when it is built in'),
})
type PromptView = z.output<typeof promptView>

const COLUMNS: readonly Column<PromptView>[] = [
  { head: 'NAME', value: ({ name }) => name },
  {
    head: 'ARGUMENTS',
    value: ({ arguments: given }) =>
      joined(given.map(({ name, required }) => line`${name}${own(required ? '' : '?')}`)),
  },
  { head: 'DESCRIPTION', value: ({ title, description = title }) => description },
]

export const listPrompts = defineOperation({
  name: 'prompt.list',
  summary: 'List the prompts that can be filled in: built-in ones, and those stored as entities',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: z.object({ prompts: z.array(promptView) }),
  async run(context) {
    const builtIn = BUILT_IN_PROMPTS.map(({ name, title, description, arguments: given }) => ({
      name,
      title,
      description,
      arguments: [...given],
    }))
    const stored = [...(await storedPrompts(context))].map(toView)
    return { prompts: [...builtIn, ...stored] }
  },
  show: ({ prompts }) => [table(prompts, COLUMNS)],
})

export const renderPrompt = defineOperation({
  name: 'prompt.render',
  summary: 'Fill in a prompt',
  example: 'decision_review --argument id=3',
  effect: 'read',
  input: z.object({
    name: z.string().describe('Name from prompt.list, or its title'),
    arguments: z.record(z.string(), z.string()).default({}).describe('Values by name'),
  }),
  output: z.object({ name: z.string(), description: z.string().optional(), text: z.string() }),
  positional: ['name'],
  async run(context, { name, arguments: values }) {
    const builtIn = BUILT_IN_PROMPTS.find((prompt) => prompt.name === name)
    if (builtIn !== undefined) {
      requireAll(builtIn.arguments, values)
      const { description } = builtIn
      return { name, description, text: await builtIn.render(context, values) }
    }
    const stored = await storedPrompts(context)
    const row = stored.get(name) ?? titled(stored, name)
    if (row === undefined) {
      throw new Failure('not_found', `there is no prompt ${quote(name)}`, {
        details: { field: 'name', id: name.slice(0, 100), kind: 'prompt' },
      })
    }
    const { description, arguments: given } = toView([name, row])
    requireAll(given, values)
    const text = fillTemplate(templateOf(row), values) + outputOf(row)
    return { name, ...(description !== undefined && { description }), text: toVisible(text) }
  },
  show: ({ text }) => [raw(`${text.replace(/\n$/, '')}\n`)],
})

/** The one prompt with this title; which of several is meant, only their names can tell. */
function titled(stored: ReadonlyMap<string, EntityRow>, title: string): EntityRow | undefined {
  const rows = [...stored.values()].filter((row) => row.title === title)
  if (rows.length > 1) {
    const candidates = rows.map(({ id, number, type }) => ({ id, number, type, title }))
    throw new Failure('ambiguous_id', `several prompts have the title ${quote(title)}`, {
      details: { field: 'name', id: title, candidates },
    })
  }
  return rows[0]
}

async function storedPrompts({ store }: ReadContext): Promise<ReadonlyMap<string, EntityRow>> {
  const rows: EntityRow[] = []
  for (let isCut = true; isCut && rows.length < MOST_PROMPTS;) {
    const page = await store.entities.list({
      type: 'prompt',
      limit: MOST_PROMPTS - rows.length,
      offset: rows.length,
    })
    rows.push(...page.entities)
    isCut = page.isCut
  }
  return toUniqueSlugs(
    rows,
    BUILT_IN_PROMPTS.map(({ name }) => name),
  )
}

function toView([name, row]: readonly [string, EntityRow]): PromptView {
  const { variables } = row.properties
  const declared = Array.isArray(variables) ? variables.map(String) : []
  const [line = ''] = (row.content ?? '').trim().split(/\r?\n/, 1)
  const facts =
    row.arrival === null ? [] : describeTrust({ ...row.arrival, by: row.createdBy ?? undefined })
  const said = firstCharacters(toVisible(line), LONGEST_DESCRIPTION)
  const description = [facts.join(', '), said].filter((part) => part !== '').join(': ')
  return {
    name,
    title: toVisible(row.title),
    ...(description !== '' && { description }),
    arguments: variablesOf(templateOf(row), declared).map((variable) => ({
      name: variable,
      required: true,
    })),
    number: row.number,
  }
}

/** A prompt without a template says what it has to say in its text. */
function templateOf({ properties, content, title }: EntityRow): string {
  const { template } = properties
  return typeof template === 'string' ? template : (content ?? title)
}

function outputOf({ properties }: EntityRow): string {
  const { output_schema: schema } = properties
  if (typeof schema !== 'string') return ''
  return `\n\nAnswer with JSON that fits this schema:\n\n\`\`\`json\n${schema}\n\`\`\`\n`
}

function requireAll(
  given: readonly { readonly name: string; readonly required: boolean }[],
  values: Readonly<Record<string, string>>,
): void {
  const missing = given.find(({ name, required }) => required && !Object.hasOwn(values, name))
  if (missing !== undefined) throw violation(`arguments.${missing.name}`, 'required', 'is required')
}
