import { ERROR_CODES, ProtocolError, type Server } from '@waymark/baton'
import { z } from 'zod'
import { askFor, say } from './samples.ts'

/** Tools that ask the client something, in the one way that works in both eras. */
export function addInputTools(server: Server): void {
  addSimpleQuestions(server)
  addElicitationForms(server)
  addMultiRoundQuestions(server)
}

function addSimpleQuestions(server: Server): void {
  server
    .tool({
      name: 'test_sampling',
      description: 'Asks the client’s model',
      inputSchema: z.object({ prompt: z.string() }),
      async run({ prompt }, { sample }) {
        const answer = await sample(toSampling(prompt, 100))
        return say(`LLM response: ${toText(answer.content)}`)
      },
    })
    .tool({
      name: 'test_elicitation',
      description: 'Asks the user',
      inputSchema: z.object({ message: z.string() }),
      async run({ message }, { elicit }) {
        const answer = await elicit(askFor('response', message))
        return say(`User response: ${JSON.stringify(answer)}`)
      },
    })
    .tool({
      name: 'test_streaming_elicitation',
      description: 'Answers at once; its stream carries no requests',
      run: () => say('nothing was asked'),
    })
    .tool({
      name: 'test_missing_capability',
      description: 'Needs a client with sampling',
      run(_input, { clientCapabilities }) {
        if (clientCapabilities.sampling !== undefined) return say('the client can sample')
        const data = { requiredCapabilities: { sampling: {} } }
        throw new ProtocolError(ERROR_CODES.missingClientCapability, 'sampling is needed', data)
      },
    })
}

function addElicitationForms(server: Server): void {
  server
    .tool({
      name: 'test_elicitation_sep1034_defaults',
      description: 'Asks with default values',
      async run(_input, { elicit }) {
        const answer = await elicit({
          message: 'Please review and update the form fields with defaults',
          requestedSchema: {
            type: 'object',
            properties: {
              name: { type: 'string', default: 'John Doe' },
              age: { type: 'integer', default: 30 },
              score: { type: 'number', default: 95.5 },
              status: {
                type: 'string',
                enum: ['active', 'inactive', 'pending'],
                default: 'active',
              },
              verified: { type: 'boolean', default: true },
            },
          },
        })
        return say(`Elicitation completed: ${JSON.stringify(answer)}`)
      },
    })
    .tool({
      name: 'test_elicitation_sep1330_enums',
      description: 'Asks with every form of choice',
      async run(_input, { elicit }) {
        const answer = await elicit({
          message: 'Please select options from the enum fields',
          requestedSchema: { type: 'object', properties: CHOICES },
        })
        return say(`Elicitation completed: ${JSON.stringify(answer)}`)
      },
    })
}

function addMultiRoundQuestions(server: Server): void {
  server
    .tool({
      name: 'test_input_required_result_elicitation',
      description: 'Asks for a name',
      async run(_input, { elicit }) {
        const { content } = await elicit(askFor('name', 'What is your name?'), 'user_name')
        return say(`Hello, ${String(content?.['name'])}!`)
      },
    })
    .tool({
      name: 'test_input_required_result_sampling',
      description: 'Asks the client’s model',
      async run(_input, { sample }) {
        const question = toSampling('What is the capital of France?', 100)
        const { content } = await sample(question, 'capital_question')
        return say(toText(content))
      },
    })
    .tool({
      name: 'test_input_required_result_list_roots',
      description: 'Asks for the client’s roots',
      async run(_input, { listRoots }) {
        const roots = await listRoots('client_roots')
        return say(roots.map(({ uri }) => uri).join(', '))
      },
    })
    .tool({
      name: 'test_input_required_result_request_state',
      description: 'Remembers something between the rounds',
      async run(_input, { elicit, once }) {
        const remembered = await once('secret', () => 'state-ok')
        await elicit(askFor('ok', 'Please confirm', 'boolean'), 'confirm')
        return say(remembered)
      },
    })
    .tool({
      name: 'test_input_required_result_tampered_state',
      description: 'Refuses a state that was changed',
      async run(_input, { elicit, once }) {
        await once('secret', () => 'untouched')
        await elicit(askFor('ok', 'Please confirm', 'boolean'), 'confirm')
        return say('the state was not touched')
      },
    })
    .tool({
      name: 'test_input_required_result_multiple_inputs',
      description: 'Asks three questions at once',
      async run(_input, { once, requestInput }) {
        await once('begun', () => true)
        const answers = await requestInput({
          user_name: {
            method: 'elicitation/create',
            params: askFor('name', 'What is your name?'),
          },
          greeting: {
            method: 'sampling/createMessage',
            params: toSampling('Generate a greeting', 50),
          },
          client_roots: { method: 'roots/list', params: {} },
        })
        return say(JSON.stringify(answers))
      },
    })
    .tool({
      name: 'test_input_required_result_multi_round',
      description: 'Asks one question after the other',
      async run(_input, { elicit, once }) {
        await once('begun', () => true)
        const first = await elicit(askFor('name', 'Step 1: What is your name?'), 'step1')
        await once('first', () => first.content ?? null)
        const question = askFor('color', 'Step 2: What is your favorite color?')
        const second = await elicit(question, 'step2')
        return say(JSON.stringify({ ...first.content, ...second.content }))
      },
    })
    .tool({
      name: 'test_input_required_result_capabilities',
      description: 'Asks only what the client can answer',
      async run(_input, { clientCapabilities, elicit, sample }) {
        if (clientCapabilities.elicitation !== undefined)
          await elicit(askFor('name', 'What is your name?'), 'user_name')
        if (clientCapabilities.sampling !== undefined)
          await sample(toSampling('Generate a greeting', 50), 'greeting')
        return say('asked what could be asked')
      },
    })
}

function toSampling(
  question: string,
  maxTokens: number,
): {
  messages: { role: 'user'; content: { type: 'text'; text: string } }[]
  maxTokens: number
} {
  return { messages: [{ role: 'user', content: { type: 'text', text: question } }], maxTokens }
}

function toText(content: unknown): string {
  const [first] = Array.isArray(content) ? (content as unknown[]) : [content]
  return typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : ''
}

const TITLED = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
]

const CHOICES = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: TITLED },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: {
    type: 'array',
    items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  },
  titledMulti: { type: 'array', items: { anyOf: TITLED } },
} as const
