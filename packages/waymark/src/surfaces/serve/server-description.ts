/** What `serve` prints when it listens. */
export interface ServerDescription {
  /** Where it is reached, without a path. */
  readonly url: string
  readonly port: number
  readonly secretFile: string | undefined
  readonly dialects: readonly string[]
  readonly projects: readonly { readonly name: string; readonly folder?: string | undefined }[]
}

export function describeServer(server: ServerDescription, asJson: boolean): string {
  return asJson ? `${JSON.stringify(toJson(server))}\n` : toText(server)
}

function toJson({ url, port, secretFile, dialects, projects }: ServerDescription): object {
  return {
    url: `${url}/mcp`,
    port,
    ...(secretFile !== undefined && { secret_file: secretFile }),
    dialects: dialects.map((name) => ({ name, url: `${url}/mcp/${name}` })),
    projects: projects.map(({ name, folder }) => ({
      name,
      ...(folder !== undefined && { folder }),
      url: `${url}/projects/${name}/mcp`,
    })),
  }
}

function toText({ url, secretFile, dialects, projects }: ServerDescription): string {
  const several = projects.length > 1 ? projects : []
  return [
    `Waymark is served at ${url}/mcp`,
    ...several.map(({ name, folder }) => `  ${folder ?? name} at ${url}/projects/${name}/mcp`),
    ...(dialects.length > 1
      ? [`  other dialects at ${url}/mcp/<name>: ${dialects.join(', ')}`]
      : []),
    ...(secretFile === undefined
      ? []
      : [`  callers send the secret in ${secretFile} as "Authorization: Bearer <secret>"`]),
    '  stop with Ctrl+C',
    '',
  ].join('\n')
}
