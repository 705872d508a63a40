// The official SDK 2.x on HTTP, modern wire: its own handler.
import { createServer } from 'node:http'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { toListener } from './fetch-listener.ts'
import { listen } from './listen.ts'
import { createSdk2Server } from './sdk2.ts'

const handler = createMcpHandler(createSdk2Server)
listen(createServer(toListener((request) => handler.fetch(request))))
