/** The objects of RFC 8984, section 6, by their part; a uid stands for "..." where it has that. */
export const RFC8984 = Object.freeze({
  '6.1': {
    '@type': 'Event',
    uid: 'a8df6573-0474-496d-8496-033ad45d7fea',
    updated: '2020-01-02T18:23:04Z',
    title: 'Some event',
    start: '2020-01-15T13:00:00',
    duration: 'PT1H',
    timeZone: 'America/New_York',
  },
  '6.2': {
    '@type': 'Task',
    uid: '2a358cee-6489-4f14-a57f-c104db4dc2f2',
    updated: '2020-01-09T14:32:01Z',
    title: 'Do something',
  },
  '6.3': {
    '@type': 'Group',
    uid: 'bf0ac22b-4989-4caf-9ebd-54301b4ee51a',
    updated: '2020-01-15T18:00:00Z',
    entries: [
      {
        '@type': 'Event',
        uid: 'a8df6573-0474-496d-8496-033ad45d7fea',
        updated: '2020-01-02T18:23:04Z',
        title: 'Some event',
        start: '2020-01-15T13:00:00',
        timeZone: 'America/New_York',
        duration: 'PT1H',
      },
      {
        '@type': 'Task',
        uid: '2a358cee-6489-4f14-a57f-c104db4dc2f2',
        updated: '2020-01-09T14:32:01Z',
        title: 'Do something',
      },
    ],
    name: 'A simple group',
  },
  '6.4': {
    '@type': 'Event',
    uid: '44dd3d63-7b30-4be0-9b46-9a7c3c4e8b21',
    title: "April Fool's Day",
    showWithoutTime: true,
    recurrenceRules: [{ '@type': 'RecurrenceRule', frequency: 'yearly' }],
    start: '1900-04-01T00:00:00',
    duration: 'P1D',
  },
  '6.5': {
    '@type': 'Task',
    uid: '0bd45e2c-6f8a-4e6b-9b1d-2d2a8f3a4e10',
    title: 'Buy groceries',
    due: '2020-01-19T18:00:00',
    estimatedDuration: 'PT1H',
    timeZone: 'Europe/Vienna',
  },
  '6.6': {
    '@type': 'Event',
    uid: 'ce4e6e85-9f7a-4c3d-8b6e-7a1f0d2b9c34',
    title: 'Flight XY51 to Tokyo',
    start: '2020-04-01T09:00:00',
    duration: 'PT10H30M',
    timeZone: 'Europe/Berlin',
    locations: {
      '1': { '@type': 'Location', name: 'Frankfurt Airport (FRA)', relativeTo: 'start' },
      '2': {
        '@type': 'Location',
        name: 'Narita International Airport (NRT)',
        relativeTo: 'end',
        timeZone: 'Asia/Tokyo',
      },
    },
  },
  '6.7': {
    '@type': 'Event',
    uid: '3a3c7b0e-6d2f-4b8a-9c1e-5f4d6a2b8e07',
    title: 'Yoga',
    recurrenceRules: [{ '@type': 'RecurrenceRule', frequency: 'daily' }],
    start: '2020-01-01T07:00:00',
    duration: 'PT30M',
  },
  '6.8': {
    '@type': 'Event',
    uid: '1f2e3d4c-5b6a-4789-90ab-cdef01234567',
    title: 'Live from Music Bowl: The Band',
    description: 'Go see the biggest music event ever!',
    start: '2020-07-04T17:00:00',
    duration: 'PT3H',
    timeZone: 'America/New_York',
    locations: {
      'c0503d30-8c50-4372-87b5-7657e8e0fedd': {
        '@type': 'Location',
        name: 'The Music Bowl',
        description: 'Music Bowl, Central Park, New York',
        coordinates: 'geo:40.7829,-73.9654',
      },
    },
    virtualLocations: {
      vloc1: {
        '@type': 'VirtualLocation',
        name: 'Free live Stream from Music Bowl',
        uri: 'https://stream.example.com/the_band_2020',
      },
    },
    localizations: {
      de: {
        description: 'Schau dir das größte Musikereignis an!',
        title: 'Live von der Music Bowl: The Band!',
        'virtualLocations/vloc1/name': 'Gratis Live-Stream aus der Music Bowl',
      },
    },
    locale: 'en',
  },
  '6.9': {
    '@type': 'Event',
    uid: '2b8d9e1a-4c6f-4a3b-8d7e-9f0a1b2c3d4e',
    title: 'Calculus I',
    recurrenceRules: [
      { '@type': 'RecurrenceRule', frequency: 'weekly', until: '2020-06-24T09:00:00' },
    ],
    recurrenceOverrides: {
      '2020-01-07T14:00:00': { title: 'Introduction to Calculus I (optional)' },
      '2020-04-01T09:00:00': { excluded: true },
      '2020-06-25T09:00:00': {
        duration: 'PT2H',
        locations: {
          auditorium: {
            '@type': 'Location',
            name: 'Big Auditorium',
            description: 'Big Auditorium, Other Road',
          },
        },
        start: '2020-06-25T10:00:00',
        title: 'Calculus I Exam',
      },
    },
    start: '2020-01-08T09:00:00',
    duration: 'PT1H30M',
    timeZone: 'Europe/London',
    locations: {
      mlab: {
        '@type': 'Location',
        name: 'Math lab room 1',
        description: 'Math Lab I, Department of Mathematics',
      },
    },
  },
  '6.10': {
    '@type': 'Event',
    uid: '7e9c1d3b-5a2f-4e8c-9b6d-0a1c2e3f4d5b',
    title: 'FooBar team meeting',
    recurrenceRules: [{ '@type': 'RecurrenceRule', frequency: 'weekly' }],
    recurrenceOverrides: {
      '2020-03-04T09:00:00': {
        'participants/dG9tQGZvb2Jhci5xlLmNvbQ/participationStatus': 'declined',
      },
    },
    start: '2020-01-08T09:00:00',
    duration: 'PT1H',
    timeZone: 'Africa/Johannesburg',
    participants: {
      dG9tQGZvb2Jhci5xlLmNvbQ: {
        '@type': 'Participant',
        name: 'Tom Tool',
        email: 'tom@foobar.example.com',
        sendTo: { imip: 'mailto:tom@calendar.example.com' },
        roles: { attendee: true },
        participationStatus: 'accepted',
      },
      em9lQGZvb2GFtcGxlLmNvbQ: {
        '@type': 'Participant',
        name: 'Zoe Zelda',
        email: 'zoe@foobar.example.com',
        sendTo: { imip: 'mailto:zoe@foobar.example.com' },
        roles: { attendee: true, chair: true, owner: true },
        participationStatus: 'accepted',
      },
    },
    virtualLocations: {
      '0': {
        '@type': 'VirtualLocation',
        name: 'ChatMe meeting room',
        uri: 'https://chatme.example.com?id=1234567&pw=a8a24627b63d',
      },
    },
    replyTo: { imip: 'mailto:f245f875-7f63-4a5e-a2c8@schedule.example.com' },
  },
});
