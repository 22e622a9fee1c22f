-- AlterTable
ALTER TABLE "JmapUser" ADD COLUMN     "disabled" BIGINT,
ADD COLUMN     "roles" JSONB,
ADD COLUMN     "signedOut" BIGINT;

-- AlterTable
ALTER TABLE "JmapToken" ADD COLUMN     "capabilities" JSONB,
ADD COLUMN     "types" JSONB;

-- AlterTable
ALTER TABLE "JmapTicket" ADD COLUMN     "signIn" JSONB;

-- AlterTable
ALTER TABLE "JmapPushSubscription" ADD COLUMN     "signIn" JSONB;

-- CreateTable
CREATE TABLE "JmapIdentity" (
    "issuer" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "created" BIGINT NOT NULL,

    CONSTRAINT "JmapIdentity_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateTable
CREATE TABLE "JmapLogout" (
    "key" TEXT COLLATE "C" NOT NULL,
    "at" BIGINT NOT NULL,
    "expires" BIGINT NOT NULL,

    CONSTRAINT "JmapLogout_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "JmapAudit" (
    "version" BIGINT NOT NULL,
    "place" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "actorId" TEXT COLLATE "C",
    "action" TEXT COLLATE "C" NOT NULL,
    "objectId" TEXT COLLATE "C" NOT NULL,
    "detail" JSONB,

    CONSTRAINT "JmapAudit_pkey" PRIMARY KEY ("version","place")
);

-- CreateTable
CREATE TABLE "JmapRate" (
    "key" TEXT COLLATE "C" NOT NULL,
    "points" BIGINT NOT NULL,
    "expires" BIGINT NOT NULL,

    CONSTRAINT "JmapRate_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "JmapIdentity_userId_idx" ON "JmapIdentity"("userId");

-- CreateIndex
CREATE INDEX "JmapLogout_expires_idx" ON "JmapLogout"("expires");

-- CreateIndex
CREATE INDEX "JmapAudit_at_idx" ON "JmapAudit"("at");

-- CreateIndex
CREATE INDEX "JmapRate_expires_idx" ON "JmapRate"("expires");


-- outside a transaction
CREATE INDEX CONCURRENTLY "JmapAccount_name_idx" ON "JmapAccount"("name");
