import type { Server } from '@waymark/baton'
import { PNG, askFor, text } from './samples.ts'

/** Resources, prompts and completion. */
export function addCatalogue(server: Server): void {
  addResources(server)
  addPrompts(server)
  server.completion(({ argument }) => ({ values: [`${argument.value}-completed`], hasMore: false }))
}

function addResources(server: Server): void {
  server
    .resource({
      uri: 'test://static-text',
      name: 'Static text',
      mimeType: 'text/plain',
      read: () => ({ text: 'This is the content of the static text resource.' }),
    })
    .resource({
      uri: 'test://static-binary',
      name: 'Static binary',
      mimeType: 'image/png',
      read: () => ({ blob: PNG }),
    })
    .resource({
      uri: 'test://watched-resource',
      name: 'Watched resource',
      mimeType: 'text/plain',
      read: () => ({ text: 'Watched resource content' }),
    })
    .resourceTemplate({
      uriTemplate: 'test://template/{id}/data',
      name: 'Template data',
      mimeType: 'application/json',
      read: (_uri, { id }) => ({
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      }),
    })
}

function addPrompts(server: Server): void {
  server
    .prompt({
      name: 'test_simple_prompt',
      description: 'A prompt without arguments',
      render: () => ({
        messages: [{ role: 'user', content: text('This is a simple prompt for testing.') }],
      }),
    })
    .prompt({
      name: 'test_prompt_with_arguments',
      description: 'A prompt with arguments',
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', description: 'Second test argument', required: true },
      ],
      render: ({ arg1, arg2 }) => ({
        messages: [
          {
            role: 'user',
            content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
          },
        ],
      }),
    })
    .prompt({
      name: 'test_prompt_with_embedded_resource',
      description: 'A prompt with a resource inside',
      arguments: [{ name: 'resourceUri', description: 'URI of the resource', required: true }],
      render: ({ resourceUri = '' }) => ({
        messages: [
          {
            role: 'user',
            content: {
              type: 'resource',
              resource: {
                uri: resourceUri,
                mimeType: 'text/plain',
                text: 'Embedded resource content for testing.',
              },
            },
          },
          { role: 'user', content: text('Please process the embedded resource above.') },
        ],
      }),
    })
    .prompt({
      name: 'test_prompt_with_image',
      description: 'A prompt with an image inside',
      render: () => ({
        messages: [
          { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
          { role: 'user', content: text('Please analyze the image above.') },
        ],
      }),
    })
    .prompt({
      name: 'test_input_required_result_prompt',
      description: 'A prompt that asks for its context',
      async render(_args, { elicit }) {
        const question = askFor('context', 'What context should the prompt use?')
        const { content } = await elicit(question, 'user_context')
        return {
          messages: [{ role: 'user', content: text(`Context: ${String(content?.['context'])}`) }],
        }
      },
    })
}
