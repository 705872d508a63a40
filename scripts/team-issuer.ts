// The issuer of `deploy/compose.yaml`: listens on port 9000 for all machines of the composition.
import { startIssuer } from './team/issuer.ts'

const url = process.env['ISSUER_URL'] ?? 'http://issuer:9000'
await startIssuer({ port: 9000, host: '0.0.0.0', url })
process.stdout.write(`issuer at ${url}\n`)
