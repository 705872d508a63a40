import type { CompletionRequest, CompletionResult } from '@waymark/baton'
import { STYLE_NAMES } from './music/style.ts'
import type { Studio } from './studio.ts'

/** Suggests values for the arguments of prompts and resource templates, from what the studio has. */
export function complete(studio: Studio, { ref, argument }: CompletionRequest): CompletionResult {
  const isOfArtifact = ref.type === 'ref/resource' && ref.uri.startsWith('artifacts://')
  const known =
    isOfArtifact && argument.name === 'id'
      ? studio.artifacts.ids()
      : valuesOf(studio, argument.name)
  return { values: known.filter((value) => value.startsWith(argument.value)) }
}

function valuesOf({ graph, artifacts }: Studio, argument: string): readonly string[] {
  switch (argument) {
    case 'id':
    case 'synth_id':
    case 'from_id':
    case 'to_id':
      return graph.find().map(({ id }) => id)
    case 'style':
      return STYLE_NAMES
    case 'format':
      return ['markdown', 'json']
    case 'tag':
      return artifacts.tags()
    case 'creator':
      return artifacts.creators()
    default:
      return []
  }
}
