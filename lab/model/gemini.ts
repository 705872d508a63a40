import * as z from 'zod'
import { parametersOf, type Reply, type Json, type Wire } from './wire.ts'

const Declaration = z.looseObject({
  name: z.string(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
})
const Part = z.looseObject({
  functionResponse: z
    .object({ id: z.string().optional(), response: z.unknown().optional() })
    .optional(),
})
const Request = z.object({
  tools: z.array(z.object({ functionDeclarations: z.array(Declaration).default([]) })).default([]),
  contents: z.array(z.object({ parts: z.array(Part).default([]) })),
})
const Output = z.object({ output: z.string() })

/** https://ai.google.dev/api/generate-content */
export const GEMINI: Wire = {
  name: 'Gemini',
  path: /:(?:stream)?generateContent$/i,
  parse: (body, path) => {
    const { tools, contents } = Request.parse(body)
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? 'unknown',
      isStream: /stream/i.test(path),
      tools: tools
        .flatMap(({ functionDeclarations }) => functionDeclarations)
        .map(({ name, parameters, parametersJsonSchema }) => ({
          name,
          parameters: parametersOf(parametersJsonSchema ?? parameters),
        })),
      results: contents
        .flatMap(({ parts }) => parts)
        .flatMap(({ functionResponse }) =>
          functionResponse === undefined
            ? []
            : [{ id: functionResponse.id, text: outputOf(functionResponse.response) }],
        ),
    }
  },
  toBody: (reply, model) => ({
    candidates: [
      { index: 0, content: { role: 'model', parts: [partOf(reply)] }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: model,
  }),
  toEvents: (reply, model) => [{ data: GEMINI.toBody(reply, model) }],
}

function partOf(reply: Reply): Json {
  if (reply.kind === 'text') return { text: reply.text }
  return { functionCall: { id: reply.id, name: reply.tool.name, args: { ...reply.args } } }
}

/** Hosts wrap a text into an object, because the service takes nothing else. */
function outputOf(response: unknown): string {
  const { data } = Output.safeParse(response)
  return data?.output ?? JSON.stringify(response ?? {})
}
