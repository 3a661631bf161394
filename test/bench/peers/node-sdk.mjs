/** The vendor's SDK behind Express, as its own pages show it: every event calls the handler. */
import { AppType, adaptExpress, EventDispatcher, LoggerLevel } from '@larksuiteoapi/node-sdk'
import express from 'express'

const [encryptKey, verificationToken] = process.argv.slice(2)
let handled = 0
const dispatcher = new EventDispatcher({
  encryptKey,
  verificationToken,
  appType: AppType.SelfBuild,
  loggerLevel: LoggerLevel.error,
}).register({
  'im.message.receive_v1': async () => {
    handled++
  },
})
const app = express()
app.get('/handled', (_request, response) => response.json({ handled }))
app.use(express.json())
app.use('/webhook', adaptExpress(dispatcher, { autoChallenge: true }))
const server = app.listen(0, '127.0.0.1', () => process.stdout.write(`listens on ${server.address().port}\n`))
