import type { DialectEvent, DialectResource } from '../../dialect.ts'

/** The resources: artifacts and their contents. Listing them loads no schema library. */
export const RESOURCES: readonly DialectResource[] = [
  resource(
    'artifacts://summary',
    'How many artifacts there are, of which types, tags and creators',
  ),
  resource('artifacts://recent', 'The ten newest artifacts'),
  resource('artifacts://by-tag/{tag}', 'Artifacts with a tag', {
    isPaged: true,
    isTouchedBy: (event, { tag = '' }) => tagsOf(event).includes(tag),
  }),
  resource('artifacts://by-creator/{creator}', 'Artifacts by who stored them', { isPaged: true }),
  resource('artifacts://lineage/{id}', 'What an artifact was made from, and what was made from it'),
  {
    ...resource('cas://{hash}', 'Content by its SHA-256: text as it is, anything else in base64'),
    mimeType: 'application/octet-stream',
    // Content by hash is immutable.
    isTouchedBy: () => false,
  },
]

function resource(
  template: string,
  description: string,
  rest: Partial<Pick<DialectResource, 'isPaged' | 'isTouchedBy'>> = {},
): DialectResource {
  return {
    template,
    name: template.replace('://', ' ').replace('/', ' '),
    description,
    mimeType: 'application/json',
    isTouchedBy: isAboutArtifact,
    ...rest,
  }
}

function isAboutArtifact({ type }: DialectEvent): boolean {
  return type.startsWith('artifact.')
}

function tagsOf(event: DialectEvent): readonly string[] {
  const { tags } = event.data
  return isAboutArtifact(event) && Array.isArray(tags) ? tags.map(String) : []
}
