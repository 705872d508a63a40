import { ERROR_CODES, ProtocolError, type Server } from '@waymark/baton'
import { z } from 'zod'
import { askFor, pause, say, text } from './samples.ts'

/** Tools whose calls go on as tasks. */
export function addTaskTools(server: Server): void {
  server
    .tool({
      name: 'greet',
      description: 'Answers at once, never as a task',
      inputSchema: z.object({ name: z.string().default('world') }),
      run: ({ name }) => say(`Hello, ${name}!`),
    })
    .tool({
      name: 'slow_compute',
      description: 'Takes as many seconds as it is told',
      inputSchema: z.object({ seconds: z.number().default(1) }),
      task: 'optional',
      async run({ seconds }, { signal }) {
        await pause(seconds * 1_000, signal)
        signal.throwIfAborted()
        return say('computed')
      },
    })
    .tool({
      name: 'failing_job',
      description: 'Reports an error after a while',
      task: 'required',
      async run() {
        await pause(1_000)
        return { content: [text('the job failed')], isError: true }
      },
    })
    .tool({
      name: 'protocol_error_job',
      description: 'Breaks the protocol after a while',
      task: 'optional',
      async run() {
        await pause(100)
        throw new ProtocolError(ERROR_CODES.internalError, 'the job broke')
      },
    })
    .tool({
      name: 'confirm_delete',
      description: 'Asks before it deletes',
      inputSchema: z.object({ filename: z.string().default('file') }),
      task: 'optional',
      async run({ filename }, { elicit }) {
        const { action } = await elicit(askFor('confirm', `Delete ${filename}?`, 'boolean'))
        return say(action === 'accept' ? `deleted ${filename}` : `kept ${filename}`)
      },
    })
    .tool({
      name: 'multi_input',
      description: 'Asks two questions at once',
      task: 'optional',
      async run(_input, { requestInput }) {
        const answers = await requestInput({
          first: { method: 'elicitation/create', params: askFor('name', 'Under which name?') },
          second: {
            method: 'elicitation/create',
            params: askFor('confirm', 'Are you sure?', 'boolean'),
          },
        })
        return say(JSON.stringify(answers))
      },
    })
    .tool({
      name: 'test_tool_with_task',
      description: 'Asks for a name, then goes on as a task',
      async run(_input, { elicit, becomeTask }) {
        const { content } = await elicit(askFor('name', 'What is your name?'), 'user_name')
        await becomeTask({ required: true })
        await pause(100)
        return say(`Hello, ${String(content?.['name'] ?? content?.['user_name'])}!`)
      },
    })
}
