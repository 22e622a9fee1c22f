-- CreateTable
CREATE TABLE "JmapUserValue" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "objectId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "values" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "JmapUserValue_pkey" PRIMARY KEY ("accountId","type","objectId","userId")
);

-- CreateIndex
CREATE INDEX "JmapUserValue_userId_idx" ON "JmapUserValue"("userId");
