import * as fc from 'fast-check'

const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const BASE64 = `${ALNUM}+/`
const URL_SAFE = `${ALNUM}_-`
const HEX = '0123456789abcdef'

const of = (characters: string, length: number) =>
  fc.string({
    unit: fc.constantFrom(...characters.split('')),
    minLength: length,
    maxLength: length,
  })
const after = (prefix: string, characters: string, length: number) =>
  of(characters, length).map((tail) => `${prefix}${tail}`)

/**
 * Secrets by the rule that must find them. They are put together here, so that this file contains none.
 */
export const PLANTED: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'aws-access-key': after('AKIA', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16).filter(
    (key) => !key.endsWith('EXAMPLE'),
  ),
  'github-token': fc.oneof(
    after('ghp_', ALNUM, 36),
    after('gho_', ALNUM, 36),
    fc.tuple(of(ALNUM, 22), of(ALNUM, 59)).map(([a, b]) => `github_pat_${a}_${b}`),
  ),
  'gitlab-token': after('glpat-', URL_SAFE, 20),
  'slack-token': fc.tuple(of('0123456789', 12), of(ALNUM, 24)).map(([a, b]) => `xoxb-${a}-${b}`),
  'slack-webhook': fc
    .tuple(of('ABCDEFGHIJ0123456789', 9), of('ABCDEFGHIJ0123456789', 11), of(ALNUM, 24))
    .map((parts) => `https://hooks.slack.com/services/${parts.join('/')}`),
  'stripe-key': fc.oneof(after('sk_live_', ALNUM, 24), after('rk_test_', ALNUM, 99)),
  'anthropic-key': after('sk-ant-api03-', URL_SAFE, 95),
  'openai-key': fc.oneof(after('sk-proj-', URL_SAFE, 120), after('sk-', ALNUM, 48)),
  'google-api-key': after('AIza', URL_SAFE, 35),
  'google-oauth': fc.oneof(after('GOCSPX-', URL_SAFE, 28), after('ya29.', URL_SAFE, 120)),
  'npm-token': after('npm_', ALNUM, 36),
  'pypi-token': after('pypi-AgEIcHlwaS5vcmc', URL_SAFE, 120),
  'huggingface-token': after('hf_', ALNUM, 34),
  'sendgrid-key': fc.tuple(of(URL_SAFE, 22), of(URL_SAFE, 43)).map(([a, b]) => `SG.${a}.${b}`),
  'digitalocean-token': after('dop_v1_', HEX, 64),
  'docker-token': after('dckr_pat_', URL_SAFE, 27),
  'shopify-token': after('shpat_', HEX, 32),
  'linear-key': after('lin_api_', ALNUM, 40),
  'databricks-token': after('dapi', HEX, 32),
  'telegram-token': fc.tuple(of('123456789', 9), of(URL_SAFE, 33)).map(([a, b]) => `${a}:AA${b}`),
  'vault-token': after('hvs.', URL_SAFE, 95),
  'azure-storage-key': of(BASE64, 86).map((key) => `AccountKey=${key}==`),
  'age-key': after('AGE-SECRET-KEY-1', 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58),
  jwt: fc
    .tuple(of(URL_SAFE, 30), of(URL_SAFE, 80), of(URL_SAFE, 43))
    .map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
  'private-key': fc
    .tuple(fc.constantFrom('', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '), of(BASE64, 64))
    .map(([kind, line]) => `-----BEGIN ${kind}PRIVATE KEY-----\n${line}\n${line}\n`),
  'url-password': fc
    .tuple(of(ALNUM, 20), of(HEX, 8))
    .map(([password, host]) => `postgres://app:${password}9a@db-${host}.internal:5432/app`),
}

/** Secrets without a form of their own, beside a name that gives them away. */
export const NAMED_SECRETS: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('api_key', 'API-KEY', 'clientSecret', 'DB_PASSWORD', 'auth_token', 'secretKey'),
    fc.constantFrom(': ', '=', ' = "', ': `', '":"'),
    fc.oneof(of(ALNUM, 24), of(ALNUM, 40), of(BASE64, 40), of(HEX, 32), of(URL_SAFE, 32)),
  )
  .map((parts) => parts.join(''))

const sentence = fc.constantFrom(
  'The token bucket refills every second.',
  'Passwords are hashed with argon2id.',
  'Rotate the secret in the vault, never in the repository.',
  'const token = await readAccessTokenFromHeader2(request)',
  'apiKey: process.env.OPENAI_API_KEY_2',
  'password: <your password>',
  'postgres://postgres:postgres@localhost:5432/test1',
  'https://user:${PASSWORD}@internal.host/path',
  'api_key = "your-api-key-here-0123456789"',
  'A private key starts with -----BEGIN PRIVATE KEY----- and a base64 body.',
  'AKIAIOSFODNN7EXAMPLE is what the documentation of AWS uses.',
  'token_expires_at: 2026-11-15T12:00:00.000Z',
  'see src/auth/token/v2/refresh-token-store.test.ts:120',
)

/** What is often taken for a secret and is none. */
const identifier = fc.oneof(
  of(HEX, 40),
  of(HEX, 64),
  of(HEX, 12),
  fc.uuid(),
  fc.ulid(),
  of(BASE64, 88).map((hash) => `sha512-${hash}`),
  of(BASE64, 200),
  fc.base64String({ minLength: 40, maxLength: 400 }),
)

const labelled = fc
  .tuple(
    fc.constantFrom('commit ', 'id: ', 'integrity: ', 'hash=', 'fixture = "', 'token_id: ', ''),
    identifier,
  )
  .map((parts) => parts.join(''))

export const CLEAN: fc.Arbitrary<string> = fc
  .array(fc.oneof(sentence, labelled, fc.lorem({ maxCount: 12 })), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('\n'))
