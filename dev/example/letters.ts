/** The mail that the example shop gets. */
export interface Letter {
  hoursAgo: number;
  text: string;
  html?: string;
  file?: { name: string; type: string; base64: string };
  /** The shop wrote it. */
  isOurs?: true;
}

export interface Conversation {
  from: { name: string; email: string };
  subject: string;
  isSpam?: true;
  isRead?: true;
  letters: readonly Letter[];
}

const ORDER_CSV = "item,kilos\r\nEspresso Nr. 4,25\r\nFilter coffee,10\r\nSencha,2\r\n";

export const conversations: readonly Conversation[] = [
  {
    from: { name: "Ingrid Kjellberg", email: "ingrid.kjellberg@example.org" },
    subject: "Where is my order 20471?",
    letters: [
      {
        hoursAgo: 29,
        text: "Hello,\n\nI ordered two packs of Darjeeling on Monday, and the page still says “packed”. When do they arrive? They are a present for Sunday.\n\nBest regards\nIngrid Kjellberg",
      },
      {
        hoursAgo: 27.5,
        isOurs: true,
        text: "Hello Ingrid,\n\nthey left our shop this morning and should be with you on Friday. We put a small bag of Oolong into the box, for the wait.\n\nMatilda\nLindqvist & Daughters",
      },
      { hoursAgo: 3.2, text: "How kind, thank you! It has just arrived.\n\nIngrid\n\n> should be with you on Friday" },
    ],
  },
  {
    from: { name: "Café Norr", email: "kaffe@cafe-norr.test" },
    subject: "Our order for December",
    letters: [
      {
        hoursAgo: 6.5,
        text: "Hi Matilda,\n\nthe list for December is attached. Could you grind half of the espresso for the old machine?\n\nJonas, Café Norr",
        file: { name: "order-december.csv", type: "text/csv", base64: btoa(ORDER_CSV) },
      },
    ],
  },
  {
    from: { name: "Yuki Tanaka", email: "yuki.tanaka@post.test" },
    subject: "Is the roasted Sencha free of gluten?",
    letters: [
      {
        hoursAgo: 1.4,
        text: "Hello, does anything in the roasted Sencha contain wheat or barley? My son must not have it.\n\nYuki",
      },
    ],
  },
  {
    from: { name: "Makai Tea Garden", email: "export@makai-garden.test" },
    subject: "Harvest report: a dry October, and a very good second flush",
    isRead: true,
    letters: [
      {
        hoursAgo: 74,
        text: "Dear partners, October was dry, and the second flush is small and very good.",
        html: '<h2>Harvest report</h2><p>Dear partners,</p><p>October was <b>dry</b>, and the second flush is small and very good. Samples leave on Monday.</p><table border="1" cellpadding="6"><tr><th>Lot</th><th>Kilos</th></tr><tr><td>M-204</td><td>410</td></tr><tr><td>M-205</td><td>265</td></tr></table>',
      },
    ],
  },
  {
    from: { name: "Rafael Vidal", email: "rafael.vidal@example.net" },
    subject: "The blue teapot arrived in two pieces",
    isRead: true,
    letters: [
      {
        hoursAgo: 122,
        text: "Hello, the handle of the teapot was broken when I opened the box. Order 20402.\n\nRafael Vidal",
      },
      {
        hoursAgo: 119,
        isOurs: true,
        text: "Hello Rafael,\n\nwe are sorry. A new one leaves today; keep the pieces, the postman does not need them.\n\nMatilda\nLindqvist & Daughters",
      },
    ],
  },
  {
    from: { name: "Göteborg Energi Faktura", email: "faktura@energi.example.org" },
    subject: "Invoice 88-1204 for November",
    isRead: true,
    letters: [{ hoursAgo: 200, text: "Your invoice of 412.00 EUR is due on the 15th." }],
  },
  {
    from: { name: "Prize Department", email: "winner@lucky-draw.test" },
    subject: "You are our 1,000,000th visitor!!!",
    isSpam: true,
    letters: [{ hoursAgo: 20, text: "Send your bank details within 24 hours to claim your prize." }],
  },
];
